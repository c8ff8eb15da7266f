// The steps of an episode: short lines that open, a page at a time; what a line holds is made when it is opened.

const PAGE_OF_STEPS = 100;
const KINDS = [
  ["", "all"], ["bash", "bash"], ["edit", "edit"], ["ask_user", "ask_user"], ["terminal", "terminal"], ["failed", "failed or invalid"],
  ["model", "with model calls"],
];

function stepsPanel(episode) {
  const state = { kind: "", words: "", page: 0 };
  const list = make("div", { class: "steps" });
  const pages = make("nav", { class: "pages", "aria-label": "Pages of steps" });
  const told = make("span", { class: "note", role: "status" });
  const search = make("input", { type: "search", autocomplete: "off", "aria-label": "Find in the steps", placeholder: "find in the steps" });
  const all = make("button", { type: "button", click: () => openAll(list) }, "open all here");
  const show = () => {
    const found = episode.steps.filter((step) => fits(step, state));
    told.textContent = `${found.length} of ${episode.steps.length} steps`;
    const here = found.slice(state.page * PAGE_OF_STEPS, (state.page + 1) * PAGE_OF_STEPS);
    list.replaceChildren(...here.map(stepLine));
    pager(pages, found.length, PAGE_OF_STEPS, state.page, (page) => { state.page = page; show(); });
  };
  search.addEventListener("input", () => { state.words = search.value.toLowerCase(); state.page = 0; show(); });
  const kinds = choice("Show", KINDS, "", (kind) => { state.kind = kind; state.page = 0; show(); });
  show();
  const after = episode.after.length ? make("div", {}, make("h3", {}, "Model calls after the last step"), episode.after.map(modelCall)) : "";
  return [make("div", { class: "bar-of-controls" }, kinds, search, all, told), list, pages, after];
}

function fits(step, { kind, words }) {
  if (kind === "failed" && !(step.kind === "invalid" || (step.exit !== null && step.exit !== 0))) return false;
  if (kind === "model" && !step.calls) return false;
  if (kind && kind !== "failed" && kind !== "model" && step.kind !== kind) return false;
  return !words || [step.title, step.given, step.text, step.diff].some((text) => text && text.toLowerCase().includes(words));
}

function openAll(list) {
  const lines = [...list.querySelectorAll("details.step")];
  const open = lines.some((line) => !line.open);
  for (const line of lines) line.open = open;
}

function stepLine(step) {
  const marks = [];
  if (step.exit !== null) marks.push(badge(step.exit === 0 ? "good" : "bad", step.kind === "edit" ? (step.exit === 0 ? "done" : "refused") : `exit ${step.exit}`));
  for (const entry of step.asked || []) marks.push(badge(entry.revealed.length ? "good" : "plain", entry.revealed.length ? `hit ${entry.revealed.join(", ")}` : entry.kind));
  const tokens = (step.calls || []).reduce((sum, call) => [sum[0] + (call.tokens[0] || 0), sum[1] + (call.tokens[1] || 0)], [0, 0]);
  if (tokens[0] || tokens[1]) marks.push(make("span", { class: "quiet" }, `${count(tokens[0])} → ${count(tokens[1])} tok`));
  marks.push(make("span", { class: "quiet" }, `${step.seconds.toFixed(step.seconds < 1 ? 3 : 1)} s`));
  const line = make(
    "details",
    { class: `step kind-${step.kind}` },
    make("summary", {}, make("span", { class: "number" }, step.n), make("span", { class: "kind" }, step.kind), make("code", { class: "title" }, step.title), make("span", { class: "marks" }, marks)),
  );
  line.addEventListener("toggle", () => { if (line.open && line.children.length === 1) line.append(make("div", { class: "inside" }, stepBody(step))); });
  return line;
}

function stepBody(step) {
  const parts = (step.calls || []).map(modelCall);
  if (step.given) parts.push(part(step.kind === "ask_user" ? "Question" : step.kind === "bash" ? "Command" : "Given", text(step.given, "command")));
  if (step.diff !== undefined) parts.push(part(`Difference (${step.against})`, diff(step.diff)));
  if (step.asked) parts.push(...step.asked.map((entry) => part(step.kind === "ask_user" ? "Where it led" : `Asked with ask-user: ${entry.question}`, hits(entry))));
  parts.push(part(step.kind === "ask_user" ? "Answer" : "What it showed", text(step.text || "(nothing)")));
  if (step.end) parts.push(part("End", make("p", {}, `The episode ended: ${step.end}.`)));
  parts.push(make("p", { class: "note" }, `${step.left[0]} steps and ${step.left[1]} questions left`));
  return parts;
}

function part(title, ...content) {
  return make("section", { class: "part" }, make("h4", {}, title), content);
}

function text(value, kind = "") {
  return make("pre", { class: `text ${kind}`, tabindex: "0" }, value);
}

function diff(value) {
  const names = { "+": "add", "-": "remove", "@": "place" };
  const lines = value.split("\n").map((line) => make("span", { class: `line ${names[line[0]] || ""}` }, line));
  return make("pre", { class: "text diff", tabindex: "0" }, lines);
}

function hits(entry) {
  const facts = [["kind", entry.kind], ["revealed", entry.revealed.join(", ") || "nothing"]];
  if (entry.matches.length) facts.push(["touched", entry.matches.map(([id, score]) => `${id} (${typeof score === "number" ? score.toFixed(2) : "–"})`).join(", ")]);
  if (entry.pointers.length) facts.push(["context pointers", entry.pointers.join(", ")]);
  if (entry.signature) facts.push(["interface", "asked for"]);
  if (entry.flagged) facts.push(["refused", entry.flagged]);
  facts.push(["charged", entry.charged ? "yes" : "no"]);
  return factList(facts);
}

function factList(facts) {
  return make("dl", { class: "facts" }, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function modelCall(call) {
  const [input, output, cached, reasoning] = call.tokens;
  const facts = [
    ["model", call.model], ["tokens in", count(input)], ["out", count(output)], ["cached", count(cached)], ["reasoning", count(reasoning)],
    ["finish", call.finish], ["cost", dollars(call.cost)], ["seconds", call.seconds.toFixed(2)], ["messages sent", call.sent],
  ];
  if (call.retries) facts.push(["retries", call.retries]);
  if (call.phase) facts.push(["phase", call.phase]);
  const parts = [factList(facts)];
  if (call.shortened) parts.push(make("p", { class: "note" }, "The agent wrote its conversation anew before this call."));
  for (const [role, said] of call.added) parts.push(make("details", { class: "added" }, make("summary", {}, `${role} message to the model`), text(said)));
  if (call.reasoning) parts.push(make("details", { class: "added" }, make("summary", {}, "reasoning"), text(call.reasoning)));
  if (call.text) parts.push(text(call.text, "said"));
  for (const [name, given] of call.tools) parts.push(make("details", { class: "added" }, make("summary", {}, "tool call ", make("code", {}, name)), text(given)));
  return make("section", { class: "part model" }, make("h4", {}, "Model"), parts);
}
