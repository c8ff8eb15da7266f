// The list of episodes: found, sorted and shown a page at a time.

const INDEX = JSON.parse(byId("index").textContent);
const PLACE = Object.fromEntries(INDEX.columns.map((name, place) => [name, place]));
const PAGE_OF_LIST = 50;
const shown = { order: null, up: true, page: 0, numbers: [] };

const HEADS = [
  ["task", "task"], ["level", "level"], ["language", "language"], ["agent", "agent"], ["model", "model"], ["seed", "seed"],
  ["class", "came out"], ["reward", "pass rate"], ["coverage", "coverage"], ["questions", "questions"], ["steps", "steps"],
  ["cost", "cost"], ["seconds", "seconds"],
];
const NUMBERS = new Set(["seed", "reward", "coverage", "questions", "steps", "cost", "seconds"]);

function field(number, name) {
  return INDEX.lines[number][PLACE[name]];
}

function written(number, name) {
  const value = field(number, name);
  if (name === "reward" || name === "coverage") return percent(value);
  if (name === "cost") return value === null && field(number, "reward") === null ? "–" : dollars(value);
  return value === null ? "–" : String(value);
}

function compareBy(name) {
  return (one, other) => {
    const [a, b] = [field(one, name), field(other, name)];
    if (a === b) return one - other;
    if (a === null || b === null) return a === null ? 1 : -1; // what is not known comes last either way
    const before = NUMBERS.has(name) ? a - b : a < b ? -1 : 1;
    return shown.up ? before : -before;
  };
}

function find() {
  const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const only = byId("only").value;
  shown.numbers = INDEX.lines
    .map((line, number) => number)
    .filter((number) => !only || field(number, "class") === only)
    .filter((number) => {
      const text = INDEX.lines[number].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  if (shown.order) shown.numbers.sort(compareBy(shown.order));
  byId("found").textContent = `${shown.numbers.length} of ${INDEX.lines.length} episodes`;
  showPage(0);
}

function sortBy(name) {
  shown.up = shown.order === name ? !shown.up : !NUMBERS.has(name);
  shown.order = name;
  showHead();
  find();
  byId("list-head").querySelector(`[data-name="${name}"]`).focus();
}

function showHead() {
  const cells = HEADS.map(([name, said]) => {
    const sorted = shown.order === name ? (shown.up ? "ascending" : "descending") : null;
    const mark = sorted ? (shown.up ? " ↑" : " ↓") : "";
    const button = make("button", { type: "button", "data-name": name, click: () => sortBy(name) }, said + mark);
    return make("th", { scope: "col", "aria-sort": sorted, class: NUMBERS.has(name) ? "value" : null }, button);
  });
  byId("list-head").replaceChildren(make("tr", {}, cells));
}

function showPage(page) {
  shown.page = page;
  const here = shown.numbers.slice(page * PAGE_OF_LIST, (page + 1) * PAGE_OF_LIST);
  byId("list-body").replaceChildren(...here.map(listLine));
  pager(byId("list-pages"), shown.numbers.length, PAGE_OF_LIST, page, showPage);
}

function listLine(number) {
  const cells = HEADS.map(([name]) => {
    const said = written(number, name);
    if (name === "task") {
      const open = make("button", { type: "button", class: "link", "data-open": number, click: () => openEpisode(number) }, said);
      return make("th", { scope: "row" }, open);
    }
    if (name === "class") return make("td", {}, badge(`out-${said}`, said.replaceAll("_", " ")));
    return make("td", { class: NUMBERS.has(name) ? "value" : null }, said);
  });
  return make("tr", {}, cells);
}

function startList() {
  for (const name of new Set(INDEX.lines.map((line) => line[PLACE["class"]]))) {
    byId("only").append(make("option", { value: name }, name.replaceAll("_", " ")));
  }
  byId("find").addEventListener("input", find);
  byId("only").addEventListener("input", find);
  showHead();
  find();
}
