// Choosers, keyboard, the text, the table of stages, and saving.
"use strict";

const at = (id) => document.getElementById(id);
const NAMES = { "source-target": "target → source", source: "inside the source", target: "inside the target" };

function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function fill(id, options, chosen) {
  at(id).replaceChildren(...options.map(([value, text]) => html("option", { value }, text)));
  at(id).value = String(chosen);
}

// Keeps every choice within what the sentence and the attention have.
function settle() {
  const kinds = Object.keys(NAMES).filter((kind) => looks(kind).length);
  if (!kinds.includes(state.kind)) state.kind = kinds[0];
  state.layer = Math.max(0, Math.min(state.layer, looks().length - 1));
  const heads = looks()[state.layer].heads.length;
  state.head = heads === 1 ? 0 : Math.max(-1, Math.min(state.head, heads - 1));
  fill("sentence", data.sentences.map((sentence, index) => [index, sentence.source.text]), state.sentence);
  fill("kind", kinds.map((kind) => [kind, NAMES[kind]]), state.kind);
  fill("layer", looks().map((_, index) => [index, index + 1]), state.layer);
  const each = looks()[state.layer].heads.map((_, index) => [index, index + 1]);
  fill("head", heads === 1 ? each : [[-1, "mean"], ...each], state.head);
  at("unit").value = state.unit;
  at("specials").checked = state.specials;
}

function change(changes) {
  Object.assign(state, changes);
  settle();
  render();
}

function render() {
  const view = shown();
  state.row = Math.min(state.row, view.rows.length - 1);
  state.column = Math.min(state.column, view.columns.length - 1);
  renderText(view);
  const crossing = state.kind === "source-target";
  at("flow-title").textContent = crossing ? "Ribbons" : "Arcs";
  at("flow").replaceChildren(crossing ? ribbons(view) : arcs(view));
  at("map").replaceChildren(heatMap(view));
  renderStages(view);
  renderEntropy();
}

// The sentence itself; a word is as warm as it is looked at.
function line(name, side, units, attribute, heat, chosen) {
  const element = html("p", { class: "line", lang: side.language }, html("span", { class: "name" }, name));
  let done = 0;
  units.forEach((unit, index) => {
    const [start, end] = unit.span, text = unit.special ? unit.text : side.text.slice(start, end);
    if (start > done) element.append(side.text.slice(done, start));
    done = Math.max(done, end);
    const classes = ["word", unit.special ? "special" : "", attribute === "data-row" ? "asks" : "", index === chosen ? "chosen" : ""];
    const word = html("span", { class: classes.filter(Boolean).join(" "), [attribute]: index }, text);
    if (heat) word.style.background = `color-mix(in srgb, var(--accent) ${Math.round(100 * heat[index])}%, transparent)`;
    element.append(word);
  });
  return element;
}

function renderText(view) {
  const { row, column } = state;
  const given = row >= 0 ? view.weights[row] : null, taken = column >= 0 ? view.weights.map((each) => each[column]) : null;
  if (state.kind === "source-target") {
    const name = data.sentences[state.sentence].own ? "its own translation" : "the given translation";
    at("text").replaceChildren(
      line("source", view.columnSide, view.columns, "data-column", column < 0 ? given : null, column),
      line(name, view.rowSide, view.rows, "data-row", taken, column < 0 ? row : -1));
  } else {
    at("text").replaceChildren(line(NAMES[state.kind], view.rowSide, view.rows, "data-row", given, row));
  }
  at("summary").textContent = "";
  if (column >= 0) at("summary").textContent = `Who looks at “${view.columns[column].text}”.`;
  else if (given) {
    const best = given.map((weight, index) => [weight, index]).sort((a, b) => b[0] - a[0]).slice(0, 3);
    at("summary").textContent = `“${view.rows[row].text}” looks at ` + best.map(([weight, c]) => `“${view.columns[c].text}” ${weight.toFixed(2)}`).join(", ");
  }
}

// score -> weight -> weighted sum, over pieces, as the model computes them.
function renderStages(view) {
  at("stages").replaceChildren();
  if (state.row < 0 || !view.rows[state.row]) { at("stages-hint").textContent = "Choose a word."; return; }
  const unit = view.rows[state.row], t = unit.parts[unit.parts.length - 1][0], [rowSide, columnSide] = sides();
  const head = looks()[state.layer].heads[Math.max(0, state.head)];
  const note = state.head < 0 ? " A mean has no stages of its own, so this is head 1." : "";
  at("stages-hint").textContent = `The query of the piece “${rowSide.pieces[t]}”; of values v and of their sum c the first features.${note}`;
  const features = head.values[0].map((_, f) => f), number = (value) => (value === null ? "hidden" : value.toFixed(3));
  const names = ["key", "1  score e", "2  weight a", ...features.map((f) => `3  a·v${f + 1}`)];
  const body = columnSide.pieces.map((piece, s) => {
    const weight = head.weights[t][s], bar = html("i");
    bar.style.width = `${(6 * weight).toFixed(2)}rem`;
    return html("tr", {}, html("td", {}, piece), html("td", {}, number(head.scores[t][s])),
      html("td", { class: "bar" }, bar, number(weight)), ...features.map((f) => html("td", {}, number(weight * head.values[s][f]))));
  });
  const sums = html("tr", {}, html("td", {}, "sum"), html("td"), html("td", { class: "bar" }, number(total(head.weights[t]))),
    ...features.map((f) => html("td", {}, `c${f + 1} = ${number(head.context[t][f])}`)));
  at("stages").append(html("table", {}, html("thead", {}, html("tr", {}, ...names.map((name) => html("th", {}, name)))),
    html("tbody", {}, ...body), html("tfoot", {}, sums)));
}

function renderEntropy() {
  at("entropy").replaceChildren(...looks().map((look, layer) => html("div", {}, html("span", {}, `layer ${layer + 1}`),
    ...look.heads.map((head, index) => {
      const bits = entropy(head.weights), share = Math.round((100 * bits) / Math.max(1, Math.log2(head.weights[0].length)));
      const chosen = layer === state.layer && index === state.head;
      const button = html("button", { type: "button", "aria-pressed": chosen }, `head ${index + 1}: ${bits.toFixed(2)}`);
      button.style.background = `linear-gradient(to right, color-mix(in srgb, var(--accent) 45%, transparent) ${share}%, transparent ${share}%)`;
      button.onclick = () => change({ layer, head: index });
      return button;
    }))));
}

// --- saving ---

function save(name, type, content) {
  const link = html("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const drawn = (id) => new XMLSerializer().serializeToString(at(id).querySelector("svg"));

function png(id) {
  const image = new Image(), scale = 2;
  return new Promise((done) => {
    image.onload = () => {
      const paper = html("canvas", { width: image.width * scale, height: image.height * scale });
      const pen = paper.getContext("2d");
      pen.scale(scale, scale);
      pen.drawImage(image, 0, 0);
      paper.toBlob(done, "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn(id));
  });
}

function numbers() {
  const { rows, columns, weights } = shown(), { kind, layer, head, unit } = state;
  const texts = (units) => units.map(({ text }) => text);
  return JSON.stringify({ kind, layer: layer + 1, head: head < 0 ? "mean" : head + 1, unit, queries: texts(rows), keys: texts(columns), weights });
}

for (const place of document.querySelectorAll(".save")) {
  const id = place.dataset.picture, button = (text, run) => {
    const made = html("button", { type: "button" }, text);
    made.onclick = run;
    return made;
  };
  place.append(
    button("PNG", async () => save(`${id}.png`, "image/png", await png(id))),
    button("SVG", () => save(`${id}.svg`, "image/svg+xml", drawn(id))),
    button("JSON", () => save("attention.json", "application/json", numbers())));
}

// --- choosing ---

for (const id of ["sentence", "layer", "head"]) at(id).onchange = (event) => change({ [id]: Number(event.target.value) });
for (const id of ["kind", "unit"]) at(id).onchange = (event) => change({ [id]: event.target.value, row: 0, column: -1 });
at("specials").onchange = (event) => change({ specials: event.target.checked });
at("theme").onclick = () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  render();
};

function pointed(event) {
  const place = event.target.closest("[data-row], [data-column]");
  if (!place) return;
  const row = place.dataset.row, column = place.dataset.column;
  const next = row === undefined ? { column: Number(column) } : { row: Number(row), column: -1 };
  if (next.column !== state.column || (next.row ?? state.row) !== state.row) { Object.assign(state, next); render(); }
}
document.addEventListener("mouseover", pointed);
document.addEventListener("click", pointed);

document.addEventListener("keydown", (event) => {
  if (event.target.closest("select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = shown().rows.length, { row, layer, head } = state;
  const keys = {
    ArrowRight: { row: (row + 1) % rows, column: -1 }, ArrowLeft: { row: (Math.max(row, 0) + rows - 1) % rows, column: -1 },
    ArrowDown: { layer: layer + 1 }, ArrowUp: { layer: layer - 1 },
    "]": { head: head + 1 }, "[": { head: head - 1 }, Escape: { row: -1, column: -1 },
  };
  if (keys[event.key]) { event.preventDefault(); change(keys[event.key]); }
});

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
at("model").textContent = data.model;
settle();
render();
