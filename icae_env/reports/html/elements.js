"use strict";
// Elements get text and attributes only: nothing that an episode printed is ever read as markup.

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "click" || key === "input" || key === "toggle") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function byId(name) {
  return document.getElementById(name);
}

function percent(value) {
  return value === null ? "–" : `${(100 * value).toFixed(1)} %`;
}

function count(value) {
  return value === null || value === undefined ? "unknown" : value.toLocaleString("en");
}

function dollars(value) {
  if (value === null || value === undefined) return "unknown";
  return value === 0 ? "$0" : value < 1 ? `$${Number(value.toPrecision(3))}` : `$${value.toFixed(2)}`;
}

// A row of buttons that go to one page of a long list.
function pager(nav, total, size, page, go) {
  const last = Math.max(Math.ceil(total / size) - 1, 0);
  const button = (said, to, label) =>
    make("button", { type: "button", disabled: to < 0 || to > last || to === page, "aria-label": label, click: () => go(to) }, said);
  nav.replaceChildren();
  if (last === 0) return;
  const begin = total ? page * size + 1 : 0;
  nav.append(
    button("«", 0, "First page"),
    button("‹", page - 1, "Previous page"),
    make("span", {}, `${begin}–${Math.min((page + 1) * size, total)} of ${total}`),
    button("›", page + 1, "Next page"),
    button("»", last, "Last page"),
  );
}

function choice(label, options, chosen, change) {
  const select = make("select", { input: (event) => change(event.target.value) });
  for (const [value, said] of options) select.append(make("option", { value, selected: value === chosen }, said));
  return make("label", {}, `${label} `, select);
}

function badge(kind, said) {
  return make("span", { class: `badge ${kind}` }, said);
}
