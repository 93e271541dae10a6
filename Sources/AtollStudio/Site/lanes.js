// Draws changesets on one time axis, a lane an author. Long gaps are drawn shorter than they were.

import { s } from "./dom.js";
import { milliseconds, moment, number } from "./format.js";

const [laneHeight, top, left, right] = [30, 10, 118, 16];

/// An SVG of `rows`; `choose` is called with a row that is clicked.
export function drawLanes(studio, rows, width, chosen, dependencies, choose) {
  const authors = [...new Set(rows.map((row) => row.author))].sort();
  const height = top + authors.length * laneHeight + 26;
  const scale = timeScale(rows, left + 10, width - right - 8);
  const y = (author) => top + authors.indexOf(author) * laneHeight + laneHeight / 2;
  const place = (row) => ({ x: scale.x(milliseconds(row.time)), y: y(row.author) });
  const byID = new Map(rows.map((row) => [`${row.author} ${row.sequence}`, row]));
  return s("svg", {
    class: "lanes", viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": `${rows.length} changesets of ${authors.length} authors by time`,
  },
  scale.ticks.map((tick) => [
    s("line", { class: "axis", x1: tick.x, x2: tick.x, y1: top, y2: height - 22 }),
    s("text", { class: "tick middle", x: tick.x, y: height - 6 }, tick.text)]),
  authors.map((author) => [
    s("line", { class: `lane ${studio.authors.color(author)}`, x1: left, x2: width - right,
      y1: y(author), y2: y(author) }),
    s("text", { class: "lane-name end", x: left - 10, y: y(author) + 4 },
      cut(studio.authors.name(author)))]),
  chosen && dependencies.map((one) => {
    const row = byID.get(`${one.author} ${one.sequence}`);
    return row && dependency(place(row), place(chosen));
  }),
  rows.map((row) => dot(studio, row, place(row), row.position === chosen?.position, choose)));
}

function cut(text) {
  return text.length > 16 ? `${text.slice(0, 15)}…` : text;
}

function dot(studio, row, at, isChosen, choose) {
  const size = Math.min(3 + Math.log2(1 + row.operations) * 0.7, 10);
  return s("circle", {
    class: `change ${studio.authors.color(row.author)} ${isChosen ? "chosen" : ""}`,
    cx: at.x, cy: at.y, r: isChosen ? size + 2 : size, on: { click: () => choose(row) },
  }, s("title", {}, `${studio.authors.name(row.author, row.name)} ${row.sequence}: ` +
    `${number(row.operations)} operations, ${moment(milliseconds(row.time), true)}`));
}

function dependency(from, to) {
  const bend = Math.abs(to.x - from.x) / 2 + 12;
  return s("path", { class: "dependency",
    d: `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}` });
}

/// Places for times: between two of them the logarithm of what passed.
function timeScale(rows, from, to) {
  const times = [...new Set(rows.map((row) => milliseconds(row.time)))].sort((a, b) => a - b);
  const sums = [0];
  for (let index = 1; index < times.length; index += 1) {
    sums.push(sums.at(-1) + Math.log2(2 + (times[index] - times[index - 1]) / 250));
  }
  const total = sums.at(-1) || 1;
  const places = new Map(times.map((time, index) =>
    [time, times.length === 1 ? (from + to) / 2 : from + (sums[index] / total) * (to - from)]));
  return { x: (time) => places.get(time), ticks: ticks(times, places) };
}

function ticks(times, places) {
  const made = [];
  let lastDay;
  for (const time of times) {
    const x = places.get(time);
    if (made.length && x - made.at(-1).x < 110) continue;
    const [day, clock] = moment(time).split(" ");
    made.push({ x, text: day === lastDay ? clock : `${day.slice(5)} ${clock}` });
    lastDay = day;
  }
  return made;
}
