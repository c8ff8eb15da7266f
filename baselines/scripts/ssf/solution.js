'use strict';
// Spreadsheet cell texts: one JSON request on stdin, one answer on stdout. No packages.

const fs = require('fs');
const path = require('path');
const { Fault, isGeneral, tokenise } = require(path.join(__dirname, 'tokens.js'));
const { general, renderNumber } = require(path.join(__dirname, 'numbers.js'));
const { isDated, moment, renderDate } = require(path.join(__dirname, 'calendar.js'));

const STOCK = {
  1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?', 13: '# ??/??',
  14: 'm/d/yy', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm',
  21: 'h:mm:ss', 22: 'm/d/yy h:mm', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mmss.0', 49: '@',
  41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
};
['#,##0 ;(#,##0)', '#,##0 ;[Red](#,##0)', '#,##0.00;(#,##0.00)', '#,##0.00;[Red](#,##0.00)']
  .forEach((code, i) => { STOCK[5 + i] = code; STOCK[37 + i] = code; });

// ---- sections -------------------------------------------------------------------------------------------------

function splitSections(code) {
  const sections = [''];
  let quotes = 0;
  for (let i = 0; i < code.length; i++) {
    if ('\\_*'.includes(code[i])) sections[sections.length - 1] += code[i] + (code[++i] ?? '');
    else if (code[i] === ';') sections.push('');
    else {
      if (code[i] === '"') quotes++;
      sections[sections.length - 1] += code[i];
    }
  }
  if (quotes % 2) throw new Fault('quote');
  if (sections.length > 4) throw new Fault('sections');
  return sections;
}

function comparison(section) {
  const found = /\[(<>|<=|>=|<|>|=)(-?\d+(?:\.\d*)?)\]/.exec(section);
  if (!found) return null;
  const limit = Number(found[2]);
  return {
    '<>': (v) => v !== limit, '<=': (v) => v <= limit, '>=': (v) => v >= limit,
    '<': (v) => v < limit, '>': (v) => v > limit, '=': (v) => v === limit,
  }[found[1]];
}

function pickNumberSection(sections, value) {
  if (sections.length === 0) return 'General';
  if (sections.length === 1) return sections[0];
  const first = comparison(sections[0]);
  if (first) {
    const second = comparison(sections[1]);
    if (first(value)) return sections[0];
    if (!second || second(value)) return sections[1];
    return sections[2] ?? sections[0];
  }
  if (value < 0) return sections[1];
  return value > 0 ? sections[0] : sections[2] ?? sections[0];
}

function render(code, value, epoch) {
  const text = typeof code === 'number' ? STOCK[code] ?? 'General' : code;
  const shown = typeof value === 'boolean' ? String(value).toUpperCase() : value;
  const plain = () => (typeof shown === 'number' ? general(shown) : shown ?? '');
  if (isGeneral(text)) return plain();
  const sections = splitSections(text);
  const hasText = sections.length === 4 || sections[sections.length - 1].includes('@');
  const numeric = hasText ? sections.slice(0, -1) : sections;
  if (shown === null || shown === '') return '';
  if (typeof shown === 'string' && !hasText) return shown;
  const section = typeof shown === 'string' ? sections[sections.length - 1] : pickNumberSection(numeric, shown);
  if (isGeneral(section)) return plain();
  const tokens = tokenise(section);
  if (typeof shown === 'string') return tokens.map((t) => (t.kind === 'text' ? shown : t.text ?? '')).join('');
  if (isDated(tokens)) return renderDate(tokens, shown, epoch);
  return renderNumber(tokens, shown, numeric.length === 1);
}

// ---- requests -------------------------------------------------------------------------------------------------

function kind(code) {
  let rest = code.replace(/^general.*$/i, '');
  rest = rest.replace(/"[^"]*"?|[\\_].?|general/gis, '').replace(/[0#?.,]+E[+-]/g, '');
  if (/\[([hms])\1*\]/i.test(rest)) return 'date';
  rest = rest.replace(/\[[^\]]*\]/g, '');
  return /[dmyhseb]|am\/pm|a\/p/i.test(rest) ? 'date' : 'other';
}

function answer(request) {
  switch (request.op) {
    case 'render': return render(request.code, request.value, request.epoch);
    case 'kind': return kind(request.code);
    case 'moment': return moment(request.serial, request.epoch);
    default: throw new Error(`unknown op ${request.op}`);
  }
}

let line;
try {
  line = answer(JSON.parse(fs.readFileSync(0, 'utf8')));
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  line = `error: ${error.message}`;
}
process.stdout.write(`${line}\n`);
