// The viewer of one episode: its data lies packed in the page and is unpacked when it is opened.

const PANELS = [
  ["steps", "Steps", stepsPanel, (episode) => episode.steps.length],
  ["questions", "Questions", questionsPanel, (episode) => episode.steps.reduce((sum, step) => sum + (step.asked || []).length, 0)],
  ["cases", "Cases", casesPanel, (episode) => episode.cases.length],
  ["gaps", "Gaps", gapsPanel, (episode) => episode.gaps.length],
  ["begin", "Task", (episode) => [text(episode.begin || "(not written yet)")], () => null],
];
const viewer = byId("viewer");
let opened = -1;

async function unpack(number) {
  const holder = byId(`episode-${number}`);
  if (!holder) return null;
  const bytes = Uint8Array.from(atob(holder.textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function openEpisode(number) {
  opened = number;
  byId("viewer-body").replaceChildren(header(number), make("p", { class: "nothing" }, "Unpacking ..."));
  if (!viewer.open) viewer.showModal();
  viewer.scrollTop = 0;
  history.replaceState(null, "", `#episode-${number}`);
  const episode = await unpack(number);
  if (opened !== number) return; // another one was opened meanwhile
  byId("viewer-body").replaceChildren(header(number), ...(episode ? content(episode) : [make("p", { class: "nothing" }, "This episode is too large for the page; its folder has all of it.")]));
}

function header(number) {
  const outcome = field(number, "class");
  const beside = (step) => {
    const here = shown.numbers.indexOf(number);
    return here < 0 ? undefined : shown.numbers[here + step];
  };
  const move = (said, step, label) => make("button", { type: "button", "aria-label": label, disabled: beside(step) === undefined, click: () => openEpisode(beside(step)) }, said);
  const said = ["level", "language", "agent", "model"].map((name) => field(number, name)).join(" · ");
  return make(
    "header",
    { class: "viewer-head" },
    make("div", {}, make("h2", { id: "viewer-title" }, field(number, "task"), " ", badge(`out-${outcome}`, outcome.replaceAll("_", " "))), make("p", { class: "note" }, `${said} · seed ${field(number, "seed")} · ${field(number, "run")}`)),
    make("p", { class: "reward" }, percent(field(number, "reward"))),
    make("nav", { "aria-label": "Episodes" }, move("‹", -1, "Previous episode"), move("›", 1, "Next episode"), make("button", { type: "button", id: "viewer-close", click: () => viewer.close() }, "Close")),
  );
}

function content(episode) {
  const [cut, limit] = episode.cut;
  const panel = make("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  const tabs = make("div", { role: "tablist", "aria-label": "Parts of the episode" });
  const show = (name) => {
    const [, , build] = PANELS.find(([own]) => own === name);
    for (const tab of tabs.children) {
      const chosen = tab.dataset.panel === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    panel.replaceChildren(...build(episode).filter(Boolean));
  };
  for (const [name, said, , size] of PANELS) {
    const number = size(episode);
    tabs.append(make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "data-panel": name, click: () => show(name) }, said, number === null ? "" : make("span", { class: "count" }, number)));
  }
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...tabs.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    show(next.dataset.panel);
  });
  show("steps");
  const note = cut ? make("p", { class: "note warn" }, `${cut} texts of this episode are cut to ${limit.toLocaleString("en")} characters in this page.`) : "";
  return [factList(episode.facts), note, tabs, panel].filter(Boolean);
}

viewer.addEventListener("close", () => {
  const number = opened;
  opened = -1;
  history.replaceState(null, "", location.pathname + location.search);
  const line = document.querySelector(`[data-open="${number}"]`);
  if (line) line.focus();
});

document.addEventListener("click", (event) => {
  const mark = event.target instanceof Element ? event.target.closest("[data-episode]") : null;
  if (mark) openEpisode(Number(mark.dataset.episode));
});

startList();
const asked = /^#episode-(\d+)$/.exec(location.hash);
if (asked && Number(asked[1]) < INDEX.lines.length) openEpisode(Number(asked[1]));
