'use strict';
// Cut one section of a code into tokens.

const BARE = new Set("$-+/():!^&'~{}<>=€,acfijklopqrtuvwxzAP");

class Fault extends Error {}

const isGeneral = (text) => /^general/i.test(text);
// Each rule: what it matches at the front of the rest, and the token it makes (null for nothing).
const RULES = [
  [/^General/i, (m) => m[0][0] === 'G' && { kind: 'general' }],
  [/^"([^"]*)"?/, (m) => ({ kind: 'literal', text: m[1] })],
  [/^\\(.?)/s, (m) => ({ kind: 'literal', text: m[1] })],
  [/^_.?/s, () => ({ kind: 'literal', text: ' ' })],
  [/^\*[ *]?/, () => null],
  [/^@/, () => ({ kind: 'text' })],
  [/^(?:AM\/PM|A\/P)/i, (m) => ({ kind: 'half', letters: m[0].length === 5 ? ['AM', 'PM'] : ['A', 'P'] })],
  [/^([dmyhseb])\1*/i, (m) => ({ kind: 'date', letter: m[1].toLowerCase(), size: m[0].length })],
  [/^\[([hms])\1*\]/i, (m) => ({ kind: 'elapsed', letter: m[1].toLowerCase(), size: m[0].length - 2 })],
  [/^\[\$([^-\[\]]*)[^\]]*\]/, (m) => ({ kind: 'symbol', text: m[1] || '$' })],
  [/^\[[^\]]*\]/, () => null],
  [/^(# )?(\?+)\/(\?+|[1-9]\d*)/,
    (m) => ({ kind: 'fraction', mixed: Boolean(m[1]), top: m[2].length, bottom: m[3] })],
  [/^0(?:\.(0+))?E\+(0+)/,
    (m) => ({ kind: 'exponent', decimals: (m[1] ?? '').length, digits: m[2].length })],
];

function tokenise(section) {
  const tokens = [];
  let rest = section;
  let dated = false;
  while (rest !== '') {
    const [length, token] = nextToken(rest, dated, tokens[tokens.length - 1]);
    rest = rest.slice(length);
    if (token === null) continue;
    tokens.push(token);
    dated ||= token.kind === 'date' || token.kind === 'elapsed' || token.kind === 'half';
  }
  return tokens;
}

function nextToken(rest, dated, before) {
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(rest);
    const token = match ? make(match) : false;
    if (token !== false) return [match[0].length, token];
  }
  const sign = rest[0];
  if (sign === '[') throw new Fault('bracket');
  if (sign === '.' && dated) {
    const zeros = /^\.(0*)/.exec(rest)[1].length;
    return [1 + zeros, { kind: 'decimals', size: zeros }];
  }
  const afterMark = before !== undefined && before.kind === 'mark';
  if ('0#?.'.includes(sign) || (',%'.includes(sign) && afterMark)) return [1, { kind: 'mark', mark: sign }];
  if (sign === ' ' || BARE.has(sign)) return [1, { kind: 'literal', text: sign }];
  throw new Fault('character');
}

module.exports = { Fault, isGeneral, tokenise };
