// Answer a suite of cases with the package: node adapter.js --cases-dir SUITE (in the workspace).
// This file only translates the task's neutral contract into the package's options and its errors into one line.
'use strict';

const fs = require('fs');
const path = require('path');
const layout = require(path.join(__dirname, 'node_modules', 'fracturedjsonjs'));

const COMMAS = { tight: 'BeforePadding', column: 'AfterPadding', mixed: 'BeforePaddingExceptNumbers' };
const NUMBERS = { left: 'Left', right: 'Right', point: 'Decimal', even: 'Normalize' };
// Field of the contract -> option of the package that takes the same value.
const SAME = {
  width: 'MaxTotalLineLength',
  inline: 'MaxInlineComplexity',
  fill: 'MaxCompactArrayComplexity',
  fill_least: 'MinCompactArrayRowItems',
  table: 'MaxTableRowComplexity',
  open: 'AlwaysExpandDepth',
  gap: 'MaxPropNamePadding',
  colon_first: 'ColonBeforePropNamePadding',
  outer_pad: 'NestedBracketPadding',
  inner_pad: 'SimpleBracketPadding',
  colon_space: 'ColonPadding',
  comma_space: 'CommaPadding',
  indent: 'IndentSpaces',
  tab: 'UseTabToIndent',
  prefix: 'PrefixString',
  blanks: 'PreserveBlankLines',
  last_comma: 'AllowTrailingCommas',
};
const OTHER = ['op', 'text', 'comma', 'numbers'];

function named(table, name, field) {
  if (!Object.hasOwn(table, name)) throw new TypeError(`unknown ${field} ${name}`);
  return table[name];
}

function options(question) {
  const chosen = new layout.FracturedJsonOptions();
  for (const [field, value] of Object.entries(question)) {
    if (Object.hasOwn(SAME, field)) chosen[SAME[field]] = value;
    else if (!OTHER.includes(field)) throw new TypeError(`unknown field ${field}`);
  }
  if ('comma' in question) {
    chosen.TableCommaPlacement = layout.TableCommaPlacement[named(COMMAS, question.comma, 'comma')];
  }
  if ('numbers' in question) {
    chosen.NumberListAlignment = layout.NumberListAlignment[named(NUMBERS, question.numbers, 'numbers')];
  }
  return chosen;
}

function laidOut(question) {
  const formatter = new layout.Formatter();
  formatter.Options = options(question);
  switch (question.op) {
    case 'lay':
      return formatter.Reformat(question.text);
    case 'pack':
      return formatter.Minify(question.text);
    default:
      throw new TypeError(`unknown op ${question.op}`);
  }
}

function answer(question) {
  let text;
  try {
    text = laidOut(question);
  } catch (thrown) {
    if (!(thrown instanceof layout.FracturedJsonError)) throw thrown;
    return 'error: bad text\n';
  }
  if (text === '') return '(nothing)\n';
  return text.endsWith('\n') ? text : `${text}\n`;
}

function answerSuite(suite) {
  const target = path.join('rcb_tests', 'stdout', suite);
  fs.mkdirSync(target, { recursive: true });
  for (const file of fs.readdirSync(path.join('rcb_tests', suite)).sort()) {
    if (!file.endsWith('.json')) continue;
    const { cases } = JSON.parse(fs.readFileSync(path.join('rcb_tests', suite, file), 'utf8'));
    cases.forEach((item, index) => {
      const name = `${file.slice(0, -'.json'.length)}@${String(index).padStart(3, '0')}.txt`;
      fs.writeFileSync(path.join(target, name), answer(item.input));
    });
  }
}

const flag = process.argv.indexOf('--cases-dir');
if (flag < 0 || process.argv[flag + 1] === undefined) {
  process.stderr.write('usage: test.sh --cases-dir SUITE\n');
  process.exit(2);
}
answerSuite(process.argv[flag + 1]);
