// The questions, the cases and the gaps of an episode.

const PAGE_OF_CASES = 25;

function questionsPanel(episode) {
  const asked = episode.steps.flatMap((step) => (step.asked || []).map((entry) => [step, entry]));
  if (!asked.length) return [make("p", { class: "nothing" }, "No question was asked.")];
  return asked.map(([step, entry], number) =>
    make(
      "article",
      { class: "question" },
      make("h4", {}, `${number + 1}. step ${step.n} `, badge(entry.revealed.length ? "good" : "plain", entry.revealed.length ? `hit ${entry.revealed.join(", ")}` : entry.kind)),
      make("blockquote", {}, entry.question),
      text(step.kind === "ask_user" ? step.text : `(the answer is in what step ${step.n} printed)`, "said"),
      hits(entry),
    ),
  );
}

function casesPanel(episode) {
  if (!episode.cases.length) return [make("p", { class: "nothing" }, "There is no report of cases.")];
  const state = { outcome: episode.cases.some((item) => item[3] !== "pass") ? "failed" : "", words: "", page: 0 };
  const body = make("div", { class: "cases" });
  const pages = make("nav", { class: "pages", "aria-label": "Pages of cases" });
  const told = make("span", { class: "note", role: "status" });
  const search = make("input", { type: "search", autocomplete: "off", "aria-label": "Find a case", placeholder: "find a case" });
  const show = () => {
    const found = episode.cases.filter((item) => wanted(item, state));
    told.textContent = `${found.length} of ${episode.cases.length} cases`;
    body.replaceChildren(...found.slice(state.page * PAGE_OF_CASES, (state.page + 1) * PAGE_OF_CASES).map(caseLine));
    pager(pages, found.length, PAGE_OF_CASES, state.page, (page) => { state.page = page; show(); });
  };
  search.addEventListener("input", () => { state.words = search.value.toLowerCase(); state.page = 0; show(); });
  const outcomes = [...new Set(episode.cases.map((item) => item[3]))].sort();
  const options = [["", "all"], ["failed", "failed"], ...outcomes.map((name) => [name, name])];
  const chosen = choice("Show", options, state.outcome, (outcome) => { state.outcome = outcome; state.page = 0; show(); });
  show();
  return [make("div", { class: "bar-of-controls" }, chosen, search, told), body, pages];
}

function wanted(item, { outcome, words }) {
  if (outcome === "failed" ? item[3] === "pass" : outcome && item[3] !== outcome) return false;
  return !words || [item[0], item[4], item[5], item[6]].some((part) => part && part.toLowerCase().includes(words));
}

function caseLine([id, suite, isPublic, outcome, expected, actual, detail, seconds]) {
  const head = make(
    "div",
    { class: "case-head" },
    make("code", {}, id),
    make("span", { class: "quiet" }, suite + (isPublic ? ", public" : "") + (seconds === null ? "" : `, ${seconds.toFixed(2)} s`)),
    badge(outcome === "pass" ? "good" : "bad", outcome),
    detail ? make("span", { class: "quiet" }, detail) : "",
  );
  const own = linesOf(expected);
  const other = actual === null ? null : linesOf(actual);
  const sides = make(
    "div",
    { class: "sides" },
    make("div", {}, make("h5", {}, "expected"), compared(own, other, outcome)),
    make("div", {}, make("h5", {}, "actual"), other === null ? make("p", { class: "nothing" }, "no output") : compared(other, own, outcome)),
  );
  return make("article", { class: "case" }, head, sides);
}

function linesOf(value) {
  const lines = value.split("\n");
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// The lines of one side; those that the other side has otherwise are marked.
function compared(lines, other, outcome) {
  const marked = outcome !== "pass" && other !== null;
  return make("pre", { class: "text", tabindex: "0" }, lines.map((line, number) => make("span", { class: marked && line !== other[number] ? "line off" : "line" }, line)));
}

function witnessesSaid(witnesses) {
  const passed = witnesses.filter(([, outcome]) => outcome === "pass").length;
  const others = witnesses.filter(([, outcome]) => outcome !== "pass");
  const told = others.map(([name, outcome, naive]) => `${name}: ${outcome || "not run"}${naive ? " (as a program without it prints)" : ""}`);
  return [passed ? `${passed} pass` : "", ...told].filter(Boolean).join("; ");
}

function gapsPanel(episode) {
  if (!episode.gaps.length) return [make("p", { class: "nothing" }, "Nothing was hidden, or nothing was measured.")];
  const mark = (value) => (value === null ? "–" : value ? "yes" : "no");
  const rows = episode.gaps.map(([id, asked, answered, implemented, status, witnesses]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("code", {}, id)),
      [asked, answered, implemented].map((value) => make("td", {}, mark(value))),
      make("td", {}, badge(`gap-${status}`, status.replaceAll("_", " "))),
      make("td", {}, witnessesSaid(witnesses)),
    ),
  );
  const head = ["constraint", "asked", "answered", "implemented", "what became of it", "witnesses"].map((name) => make("th", { scope: "col" }, name));
  return [make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)))];
}
