'use strict';
// Serial day numbers: calendar fields, date and time codes, elapsed time.

const path = require('path');
const { Fault } = require(path.join(__dirname, 'tokens.js'));

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June',
  'July', 'August', 'September', 'October', 'November', 'December'];
const LAST_SERIAL = 2958465;
const DAY_SECONDS = 86400;
const pad = (number, width) => String(number).padStart(width, '0');
const isDated = (tokens) => tokens.some((t) => t.kind === 'date' || t.kind === 'half' || t.kind === 'elapsed');

// Whole days, whole seconds and the rest of a second; null out of range.
function split(serial) {
  if (serial < 0 || serial > LAST_SERIAL) return null;
  let days = Math.floor(serial);
  const exact = DAY_SECONDS * (serial - days);
  let seconds = Math.floor(exact);
  let rest = exact - seconds;
  if (rest < 1e-6) rest = 0;
  if (rest > 0.9999) { rest = 0; seconds++; }
  if (seconds === DAY_SECONDS) { seconds = 0; days++; }
  return { days, seconds, rest };
}

function calendarDay(days, epoch) {
  const day = epoch === 1904 ? days + 1462 : days;
  const weekday = (day + 6) % 7;
  if (day === 0) return { year: 1900, month: 1, day: 0, weekday };
  if (day === 60) return { year: 1900, month: 2, day: 29, weekday };
  const real = new Date(Date.UTC(1899, 11, day < 60 ? 31 + day : 30 + day));
  return { year: real.getUTCFullYear(), month: real.getUTCMonth() + 1, day: real.getUTCDate(), weekday };
}

function clock(seconds) {
  return { hour: Math.floor(seconds / 3600), minute: Math.floor(seconds / 60) % 60, second: seconds % 60 };
}

function moment(serial, epoch) {
  const at = split(serial);
  if (at === null) return 'none';
  const { year, month, day, weekday } = calendarDay(at.days, epoch);
  const { hour, minute, second } = clock(at.seconds);
  const time = [hour, minute, second].map((n) => pad(n, 2)).join(':');
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)} ${time} ${WEEKDAYS[weekday].slice(0, 3)}`;
}

// Turn runs of m next to hours or seconds into minutes; letter n stands for minutes from here on.
function resolveMinutes(tokens) {
  const codes = tokens.filter((t) => t.kind === 'date' || t.kind === 'elapsed');
  return tokens.map((token) => {
    const at = codes.indexOf(token);
    if (token.kind !== 'date' || token.letter !== 'm') return token;
    const near = codes[at - 1]?.letter === 'h' || (codes[at + 1]?.letter === 's' && codes[at + 1].kind === 'date');
    return near ? { ...token, letter: 'n' } : token;
  });
}

function renderDate(tokens, serial, epoch) {
  const at = split(serial);
  if (at === null) return '';
  const parts = resolveMinutes(tokens);
  const codes = parts.filter((t) => t.kind === 'date' || t.kind === 'elapsed');
  const shows = (letters) => codes.some((t) => letters.includes(t.letter));
  const half = parts.some((t) => t.kind === 'half');
  const afternoon = at.seconds >= DAY_SECONDS / 2;
  const elapsedMinutes = parts.some((t) => t.kind === 'elapsed' && t.letter === 'm');
  const places = Math.max(0, ...parts.filter((t) => t.kind === 'decimals').map((t) => t.size));
  const cut = !shows('s') && (shows('hn') || elapsedMinutes);
  const seconds = cut ? at.seconds + (at.rest >= 0.5 ? 1 : 0) : at.seconds;
  const view = { ...calendarDay(at.days, epoch), ...clock(seconds), at, half, places };
  view.units = Math.round((view.second + at.rest) * 10 ** places);
  if (view.units >= 60 * 10 ** places) view.units = 0;
  view.total = at.days * DAY_SECONDS + seconds;
  return parts.map((t) => piece(t, view, afternoon)).join('');
}

function piece(token, view, afternoon) {
  switch (token.kind) {
    case 'symbol': return '';
    case 'half': return token.letters[afternoon ? 1 : 0];
    case 'decimals':
      if (token.size < 1 || token.size > 3) throw new Fault('field');
      return `.${pad(view.units % 10 ** view.places, view.places)}`;
    case 'elapsed': return elapsed(token, view);
    case 'date': return field(token, view);
    default: return token.text ?? '';
  }
}

function elapsed({ letter, size }, view) {
  if (size > 2) throw new Fault('field');
  if (letter === 's') return pad(Math.round(view.total + view.at.rest), size);
  return pad(Math.floor(view.total / (letter === 'h' ? 3600 : 60)), size);
}

function field({ letter, size }, view) {
  if ('hns'.includes(letter) && size > 2) throw new Fault('field');
  switch (letter) {
    case 'h': return pad(view.half ? (view.hour + 11) % 12 + 1 : view.hour, size);
    case 'n': return pad(view.minute, size);
    case 's': return pad(Math.floor(view.units / 10 ** view.places), size);
    case 'd':
      if (size <= 2) return pad(view.day, size);
      return size === 3 ? WEEKDAYS[view.weekday].slice(0, 3) : WEEKDAYS[view.weekday];
    case 'm':
      if (size <= 2) return pad(view.month, size);
      if (size === 3 || size === 5) return MONTHS[view.month - 1].slice(0, size === 3 ? 3 : 1);
      return MONTHS[view.month - 1];
    case 'e': return String(view.year);
    default: return year(letter === 'b' ? view.year + 543 : view.year, size);
  }
}

const year = (number, size) => (size <= 2 ? pad(number % 100, 2) : pad(number, 4));

module.exports = { isDated, moment, renderDate };
