// Pictures as SVG with every colour and size in attributes, so that a saved file looks as the page does.
"use strict";

const FONT = 15;
const isWide = (character) => /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u{20000}-\u{323af}]/u.test(character);
const width = (text) => total([...text].map((character) => (isWide(character) ? FONT : FONT * 0.58)));
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function canvas(wide, high) {
  const font = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif";
  const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(wide), height: Math.ceil(high),
    viewBox: `0 0 ${Math.ceil(wide)} ${Math.ceil(high)}`, "font-family": font, "font-size": FONT, role: "img" });
  root.append(svg("rect", { width: "100%", height: "100%", fill: colour("--paper") }));
  return root;
}

function label(text, attributes) {
  return svg("text", { fill: colour("--ink"), ...attributes }, text);
}

function titled(element, text) {
  element.append(svg("title", {}, text));
  return element;
}

const told = (view, r, c) => `${view.rows[r].text} → ${view.columns[c].text}: ${view.weights[r][c].toFixed(3)}`;

// Rows are queries, columns are keys.
function heatMap(view) {
  const cell = 26, left = Math.max(...view.rows.map((row) => width(row.text))) + 14;
  const top = Math.max(...view.columns.map((column) => width(column.text))) + 14;
  const root = canvas(left + cell * view.columns.length + 4, top + cell * view.rows.length + 4);
  view.columns.forEach((column, c) => {
    const x = left + cell * (c + 0.5) + 5, bold = c === state.column ? "bold" : "normal";
    root.append(label(column.text, { transform: `translate(${x} ${top - 6}) rotate(-90)`, "font-weight": bold, "data-column": c }));
  });
  view.rows.forEach((row, r) => {
    const y = top + cell * r, bold = r === state.row ? "bold" : "normal";
    root.append(label(row.text, { x: left - 7, y: y + 18, "text-anchor": "end", "font-weight": bold, "data-row": r }));
    view.columns.forEach((_, c) => {
      root.append(titled(svg("rect", { x: left + cell * c, y, width: cell, height: cell, fill: colour("--accent"),
        "fill-opacity": view.weights[r][c].toFixed(3), stroke: colour("--line"), "stroke-width": 0.5, "data-row": r }), told(view, r, c)));
    });
  });
  if (state.row >= 0) root.append(svg("rect", { x: left, y: top + cell * state.row, width: cell * view.columns.length,
    height: cell, fill: "none", stroke: colour("--ink"), "stroke-width": 1.5 }));
  return root;
}

// The middle of each word in one line, and the width of all.
function placed(units) {
  let x = 12;
  const middles = units.map(({ text }) => { const middle = x + width(text) / 2; x += width(text) + 14; return middle; });
  return [middles, x];
}

function strength(view, r, c) {
  const weight = view.weights[r][c];
  if (weight < 0.03 || (state.column >= 0 && c !== state.column)) return null;
  const quiet = state.column < 0 && state.row >= 0 && r !== state.row;
  return { stroke: colour("--accent"), fill: "none", "stroke-width": (1 + 9 * weight).toFixed(2),
    "stroke-opacity": (quiet ? weight * 0.18 : 0.25 + 0.7 * weight).toFixed(3), "data-row": r };
}

function wordsOf(root, units, middles, y, attribute, chosen) {
  units.forEach(({ text }, index) => root.append(label(text, { x: middles[index], y, "text-anchor": "middle",
    "font-weight": index === chosen ? "bold" : "normal", [attribute]: index })));
}

// Source above, target below, a band for each weight.
function ribbons(view) {
  const [above, wideAbove] = placed(view.columns), [below, wideBelow] = placed(view.rows), high = 190;
  const root = canvas(Math.max(wideAbove, wideBelow), high);
  view.rows.forEach((_, r) => view.columns.forEach((__, c) => {
    const look = strength(view, r, c);
    if (look) root.append(titled(svg("path", { d: `M${below[r]} ${high - 28} C${below[r]} ${high / 2} ${above[c]} ${high / 2} ${above[c]} 28`, ...look }), told(view, r, c)));
  }));
  wordsOf(root, view.columns, above, 20, "data-column", state.column);
  wordsOf(root, view.rows, below, high - 12, "data-row", state.row);
  return root;
}

// One sentence; an arc from each word to those it looks at, a dot where it looks at itself.
function arcs(view) {
  const [middles, wide] = placed(view.columns);
  const high = Math.min(320, 60 + wide / 4), floor = high - 34;
  const root = canvas(wide, high);
  view.rows.forEach((_, r) => view.columns.forEach((__, c) => {
    const look = strength(view, r, c), reach = Math.abs(middles[r] - middles[c]);
    if (!look) return;
    const rise = Math.min(floor - 12, 14 + reach * 0.5), radius = (2 + 5 * view.weights[r][c]).toFixed(2);
    const shape = r === c
      ? svg("circle", { ...look, cx: middles[r], cy: floor - 2, r: radius, fill: colour("--accent"), "fill-opacity": look["stroke-opacity"], "stroke-width": 0 })
      : svg("path", { ...look, d: `M${middles[r]} ${floor} C${middles[r]} ${floor - rise * 1.3} ${middles[c]} ${floor - rise * 1.3} ${middles[c]} ${floor}` });
    root.append(titled(shape, told(view, r, c)));
  }));
  wordsOf(root, view.rows, middles, high - 12, "data-row", state.row);
  return root;
}
