// Numbers only: which units, which weights. Nothing here draws.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const SIDES = { "source-target": ["predicted", "source"], source: ["source", "source"], target: ["written", "written"] };
const state = { sentence: 0, kind: "source-target", layer: 0, head: 0, unit: "word", specials: false, row: 0, column: -1 };

const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const dot = (row, parts) => total(parts.map(([index, share]) => row[index] * share));

function looks(kind = state.kind) {
  return data.sentences[state.sentence].attentions.filter((look) => look.kind === kind);
}

// The weights of the chosen head over pieces, or their mean over all heads of the layer (head -1).
function pieceWeights() {
  const heads = looks()[state.layer].heads;
  if (state.head >= 0) return heads[state.head].weights;
  return heads[0].weights.map((row, t) => row.map((_, s) => total(heads.map((head) => head.weights[t][s])) / heads.length));
}

function sides() {
  return SIDES[state.kind].map((name) => data.sentences[state.sentence][name]);
}

function unitsOf(side) {
  return side.units[state.unit].filter((unit) => state.specials || !unit.special);
}

// What is shown: units of both sides and the weights between them. A unit receives the sum of what its pieces receive,
// and looks where its pieces look on average. Without the marks, what is left of a row is scaled to sum to one.
function shown() {
  const [rowSide, columnSide] = sides();
  const rows = unitsOf(rowSide), columns = unitsOf(columnSide), pieces = pieceWeights();
  const weights = rows.map(({ parts }) => {
    const whole = total(parts.map(([, share]) => share));
    const mean = columns.map((column) => total(parts.map(([t, share]) => share * dot(pieces[t], column.parts))) / whole);
    const left = total(mean);
    return state.specials || left === 0 ? mean : mean.map((weight) => weight / left);
  });
  return { rows, columns, rowSide, columnSide, weights };
}

// Mean entropy in bits of the rows of a head, over pieces, marks included.
function entropy(weights) {
  const one = (row) => -total(row.filter((weight) => weight > 0).map((weight) => weight * Math.log2(weight)));
  return total(weights.map(one)) / weights.length;
}
