// Draws changesets on one time axis, a lane an author. Long gaps are drawn shorter than they were.

import { s } from "./dom.js";
import { milliseconds, moment, number } from "./format.js";

const [laneHeight, top, left, right, bottom] = [30, 10, 118, 16, 26];
const tickGap = 110;

/// An SVG of `rows`; `choose` is called with a row that is clicked.
export function drawLanes({ authors }, rows, width, chosen, dependencies, choose) {
	const lanes = [...new Set(rows.map((row) => row.author))].sort();
	const height = top + lanes.length * laneHeight + bottom;
	const { places, ticks } = timeScale(rows, left + 10, width - right - 8);
	const laneY = (author) => top + (lanes.indexOf(author) + 0.5) * laneHeight;
	const x = (row) => places.get(milliseconds(row.time));
	const found = dependencies.map((one) => rows.find((row) =>
		row.author === one.author && row.sequence === one.sequence)).filter(Boolean);
	return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
		label: `${rows.length} changesets of ${lanes.length} authors by time` },
	ticks.map((tick) => [
		s("line.axis", { x1: tick.x, x2: tick.x, y1: top, y2: height - bottom + 4 }),
		s("text.tick.middle", { x: tick.x, y: height - 6 }, tick.text)]),
	lanes.map((author) => [
		s(`line.lane.${authors.color(author)}`,
			{ x1: left, x2: width - right, y1: laneY(author), y2: laneY(author) }),
		s("text.lane-name.end", { x: left - 10, y: laneY(author) + 4 },
			authors.name(author).slice(0, 16))]),
	found.map((row) => dependency(x(row), laneY(row.author), x(chosen), laneY(chosen.author))),
	rows.map((row) => s(
		`circle.change.${authors.color(row.author)}${row === chosen ? ".chosen" : ""}`, {
			cx: x(row), cy: laneY(row.author), on: { click: () => choose(row) },
			r: Math.min(3 + Math.log2(1 + row.operations) * 0.7, 10) + (row === chosen ? 2 : 0),
		}, s("title", `${authors.name(row.author, row.name)} ${number(row.sequence)}, ` +
			moment(milliseconds(row.time), true)))));
}

function dependency(fromX, fromY, toX, toY) {
	const bend = Math.abs(toX - fromX) / 2 + 12;
	return s("path.dependency",
		{ d: `M${fromX} ${fromY}C${fromX + bend} ${fromY} ${toX - bend} ${toY} ${toX} ${toY}` });
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
		[time, from + (sums[index] / total) * (to - from)]));
	const ticks = [];
	let lastDay;
	for (const [time, x] of places) {
		if (ticks.length && x - ticks.at(-1).x < tickGap) continue;
		const [day, clock] = moment(time).split(" ");
		ticks.push({ x, text: day === lastDay ? clock : `${day.slice(5)} ${clock}` });
		lastDay = day;
	}
	return { places, ticks };
}
