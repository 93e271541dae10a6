// The lag of each replica while the page is open, as curves.

import { h, s } from "./dom.js";
import { duration, number } from "./format.js";

const keptFor = 3_600_000;
const shortest = 30_000;
const [width, height, left, right, top, bottom] = [480, 170, 44, 8, 12, 22];

export class LagHistory {
	constructor(studio) {
		this.studio = studio;
		this.curves = new Map();
	}

	/// Records by what the replicas are behind.
	record(members) {
		const time = Date.now();
		this.start ??= time;
		for (const { replica, behind, isThis, isRetired } of members) {
			if (isThis || isRetired) continue;
			const points = this.curves.get(replica) ?? [];
			this.curves.set(replica, points);
			// A stretch of one value needs its two ends only.
			if (points.at(-1)?.behind === behind && points.at(-2)?.behind === behind) points.pop();
			points.push({ time, behind });
			while (points[0].time < time - keptFor) points.shift();
		}
	}

	draw() {
		const { authors } = this.studio;
		const now = Date.now();
		const span = Math.min(Math.max(now - this.start, shortest), keptFor);
		const curves = [...this.curves];
		const most = Math.max(4, ...curves.flatMap(([, points]) => points.map((one) => one.behind)));
		const x = (time) => left + (1 - (now - time) / span) * (width - left - right);
		const y = (value) =>
			height - bottom - (Math.log1p(value) / Math.log1p(most)) * (height - bottom - top);
		const ticks = [0, 1, 10, 100, 1000, 10_000, 100_000].filter((one) => one < most * 0.6);
		const line = (points) => points.map(({ time, behind }, place) =>
			`${place ? `H${x(time)}V` : `M${x(time)} `}${y(behind)}`).join("");
		return h("div", s("svg.chart", { viewBox: `0 0 ${width} ${height}`, role: "img",
			label: "Changesets that each replica is behind by, over time" },
		[...ticks, most].map((one) => [
			s("line.axis", { x1: left, x2: width - right, y1: y(one), y2: y(one) }),
			s("text.tick.end", { x: left - 6, y: y(one) + 4 }, number(one))]),
		s("text.tick", { x: left, y: height - 4 }, `${duration(span)} ago`),
		s("text.tick.end", { x: width - right, y: height - 4 }, "now"),
		curves.map(([replica, points]) => s(`path.curve.${authors.color(replica)}`,
			{ d: `${line(points)}H${x(now)}` }))),
		h("ul.legend", curves.map(([replica, points]) => h(`li.${authors.color(replica)}`,
			h("span.swatch"), `${authors.name(replica)}: ${number(points.at(-1).behind)} behind`))));
	}
}
