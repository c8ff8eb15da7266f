'use strict';
// Numbers: the General form, rows of digit marks, fractions and scientific form.

const BLANK = { 0: '0', '#': '', '?': ' ' };

function general(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const sign = value < 0 ? '-' : '';
  const trim = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  const exact = trim(size.toFixed(12));
  const whole = Math.floor(size).toString().length;
  if (size < 1e11 && exact.length <= 11) return sign + exact;
  if (size < 1e11 && size >= 1e-4) return sign + trim(size.toFixed(Math.max(0, 10 - whole)));
  const [, digits, exponentSign, exponent] = /^(.*)e([+-])(\d+)$/.exec(size.toExponential(5));
  return `${sign}${trim(digits)}E${exponentSign}${exponent.padStart(2, '0')}`;
}

function renderNumber(tokens, value, signed) {
  const size = Math.abs(value);
  const out = tokens.map((t) => t.text ?? '');
  const marks = [];
  tokens.forEach((t, i) => {
    if (t.kind === 'mark') marks.push({ mark: t.mark, at: i });
    else if (t.kind === 'general') out[i] = general(value);
    else if (t.kind === 'fraction') out[i] = fraction(t, size);
    else if (t.kind === 'exponent') out[i] = scientific(t, size);
  });
  if (marks.length > 0) layDigits(marks, size, out);
  const first = tokens.findIndex((t) => ['mark', 'fraction', 'exponent'].includes(t.kind));
  if (signed && value < 0 && first >= 0) {
    const literal = tokens[0].text !== undefined && tokens[0].text !== ' ';
    const at = literal ? 0 : first;
    out[at] = `-${out[at]}`;
  }
  return out.join('');
}

function scientific(token, size) {
  const [, digits, sign, exponent] = /^(.*)e([+-])(\d+)$/.exec(size.toExponential(token.decimals));
  return `${digits}E${sign}${exponent.padStart(token.digits, '0')}`;
}

function fraction(token, size) {
  const fixed = /^\d/.test(token.bottom);
  const width = token.bottom.length;
  let best = fixed ? Number(token.bottom) : 1;
  for (let d = 2; !fixed && d < 10 ** width; d++) {
    const error = (n) => Math.abs(size - Math.round(size * n) / n);
    if (error(d) < error(best) - 1e-12) best = d;
  }
  let top = Math.round(size * best);
  let lead = '';
  if (token.mixed) {
    const whole = Math.floor(top / best);
    top -= whole * best;
    lead = `${whole || (top ? '' : '0')} `;
    if (top === 0) return lead + ' '.repeat(token.top + 1 + width);
  }
  return `${lead}${String(top).padStart(token.top)}/${String(best).padEnd(width)}`;
}

function layDigits(marks, size, out) {
  const digits = (list) => list.filter((m) => '0#?'.includes(m.mark));
  const point = marks.findIndex((m) => m.mark === '.');
  const before = point < 0 ? marks : marks.slice(0, point);
  const after = point < 0 ? [] : digits(marks.slice(point));
  const all = marks.filter((m) => m.mark !== '%').map((m) => m.mark).join('');
  const scale = /,*$/.exec(all)[0].length;
  const grouped = /[0#?],[0#?]/.test(all);
  const percents = marks.filter((m) => m.mark === '%');
  const places = after.length;
  const moved = (size * 100 ** percents.length) / 1000 ** scale;
  const row = BigInt(Math.round(moved * 10 ** places)).toString().padStart(places + 1, '0');
  const decimals = places ? row.slice(-places) : '';
  layInteger(digits(before), row.slice(0, row.length - places).replace(/^0+/, ''), grouped, out);
  if (point >= 0) out[marks[point].at] = '.';
  let keep = places;
  while (keep > 0 && after[keep - 1].mark === '#' && decimals[keep - 1] === '0') keep--;
  after.forEach((m, i) => { out[m.at] = i < keep ? decimals[i] : ''; });
  percents.forEach((m) => { out[m.at] = '%'; });
}

function layInteger(marks, digits, grouped, out) {
  const left = [...digits];
  let printed = 0;
  const place = (digit, at) => {
    out[at] = digit + (grouped && printed > 0 && printed % 3 === 0 ? ',' : '') + out[at];
    printed++;
  };
  for (const { mark, at } of [...marks].reverse()) {
    const digit = left.pop() ?? BLANK[mark];
    if (digit !== '') place(digit, at);
  }
  while (marks.length > 0 && left.length > 0) place(left.pop(), marks[0].at);
}

module.exports = { general, renderNumber };
