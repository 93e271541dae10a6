// How far each replica was behind, gathered while the page is open, and drawn as curves.

import { h, s } from "./dom.js";
import { duration, number } from "./format.js";

const keptFor = 3_600_000;
const gap = 1000;

export class LagHistory {
  constructor(studio) {
    this.studio = studio;
    this.curves = new Map();
    this.start = Date.now();
  }

  /// Records what the replicas are behind by, at most once a second.
  record(members) {
    const now = Date.now();
    if (now - (this.last ?? 0) < gap) return;
    this.last = now;
    for (const member of members) {
      if (member.isThis || member.isRetired) continue;
      const points = this.curves.get(member.replica) ?? [];
      this.curves.set(member.replica, points);
      const before = points.at(-1);
      // A stretch of one value needs its two ends only.
      if (points.length > 1 && before.value === member.behind && points.at(-2).value === member.behind) {
        before.time = now;
      } else points.push({ time: now, value: member.behind });
      while (points.length && points[0].time < now - keptFor) points.shift();
    }
  }

  /// An SVG of the curves.
  draw() {
    const [width, height, left, bottom] = [640, 160, 44, 20];
    const now = Date.now();
    const from = Math.max(this.start, now - keptFor);
    const span = Math.max(now - from, 30_000);
    const most = Math.max(4, ...[...this.curves.values()].flat().map((one) => one.value));
    const x = (time) => left + ((time - now + span) / span) * (width - left - 8);
    const y = (value) => height - bottom - (Math.log1p(value) / Math.log1p(most)) * (height - bottom - 12);
    const ticks = [0, 1, 10, 100, 1000, 10_000, 100_000].filter((one) => one < most * 0.6);
    return h("div", { class: "chart" }, s("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "Changesets that each replica is behind by, over time",
    }, [...ticks, most].map((one) => [
      s("line", { class: "axis", x1: left, x2: width - 8, y1: y(one), y2: y(one) }),
      s("text", { class: "tick end", x: left - 6, y: y(one) + 3 }, number(one)),
    ]), s("text", { class: "tick", x: left, y: height - 4 }, `${duration(span)} ago`),
    s("text", { class: "tick end", x: width - 8, y: height - 4 }, "now"),
    [...this.curves].map(([replica, points]) => s("polyline", {
      class: `curve ${this.studio.authors.color(replica)}`,
      points: steps(points, now).map((one) => `${x(one.time)},${y(one.value)}`).join(" "),
    }))), h("ul", { class: "legend" }, [...this.curves].map(([replica, points]) =>
      h("li", { class: this.studio.authors.color(replica) }, h("span", { class: "swatch" }),
        `${this.studio.authors.name(replica)}: ${number(points.at(-1)?.value ?? 0)} behind`))));
  }
}

/// A value holds until the next one is known.
function steps(points, now) {
  const made = [];
  for (const one of points) {
    if (made.length) made.push({ time: one.time, value: made.at(-1).value });
    made.push(one);
  }
  if (made.length) made.push({ time: now, value: made.at(-1).value });
  return made;
}
