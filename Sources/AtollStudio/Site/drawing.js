// Draws classes and their links: a box a class, in layers from left to right.

import { s } from "./dom.js";

const [boxWidth, headHeight, lineHeight, gapX, gapY, linesInBox] = [184, 30, 20, 84, 22, 9];
const mostSteps = 20_000;
const marks = { list: "[ ]", set: "{ }", map: "[:]" };

/// An SVG of the classes; `address` gives what a click on a class opens.
export function drawSchema(schema, address) {
	const boxes = schema.classes.map(makeBox);
	const byName = new Map(boxes.map((one) => [one.name, one]));
	putInLayers(boxes, byName);
	const columns = arrange(boxes);
	const width = columns * (boxWidth + gapX) - gapX + 40;
	const height = Math.max(...boxes.map((one) => one.y + one.height)) + 24;
	return s("svg.drawing", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
		label: `${boxes.length} classes and their links` },
	s("defs", s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
		markerHeight: 7, orient: "auto" }, s("path.arrow", { d: "M0 0.8L7 4L0 7.2z" }))),
	boxes.map((one) => one.lines.map((line, index) => edge(one, line, index, byName))),
	boxes.map((one) => draw(one, address)));
}

function makeBox({ name, isEmbedded, properties }) {
	const links = properties.filter((one) => one.target);
	const lines = links.slice(0, linesInBox);
	const more = links.length - lines.length;
	return { name, isEmbedded, lines, more,
		targets: [...new Set(links.map((one) => one.target))].filter((target) => target !== name),
		height: headHeight + (lines.length + (more ? 1 : 0)) * lineHeight + (lines.length ? 8 : 0) };
}

/// A class stands to the right of those that link to it; links that close a circle do not count.
function putInLayers(boxes, byName) {
	const open = new Set();
	let steps = 0;
	const visit = (one, layer) => {
		if (!one || open.has(one) || one.layer >= layer || ++steps > mostSteps) return;
		one.layer = layer;
		open.add(one);
		for (const name of one.targets) visit(byName.get(name), layer + 1);
		open.delete(one);
	};
	const targets = new Set(boxes.flatMap((one) => one.targets));
	for (const one of boxes) if (!targets.has(one.name)) visit(one, 0);
	for (const one of boxes) if (one.layer === undefined) visit(one, 0);
	for (const one of boxes) one.layer ??= 0;
}

/// Gives each box its place near those that link to it; answers the columns.
function arrange(boxes) {
	const columns = [];
	for (const one of boxes) (columns[one.layer] ??= []).push(one);
	const used = columns.filter(Boolean);
	const middle = (one) => {
		const sources = boxes.filter((other) => other.y >= 0 && other.targets.includes(one.name));
		return sources.reduce((sum, other) => sum + other.y, 0) / (sources.length || 1);
	};
	used.forEach((column, place) => {
		column.sort((a, b) => middle(a) - middle(b));
		let y = 12;
		for (const one of column) {
			[one.x, one.y] = [20 + place * (boxWidth + gapX), y];
			y += one.height + gapY;
		}
	});
	return used.length;
}

function edge(from, property, index, byName) {
	const to = byName.get(property.target);
	if (!to) return undefined;
	const [x1, y1] = [from.x + boxWidth, from.y + headHeight + 4 + (index + 0.5) * lineHeight];
	const isForward = to.x > from.x;
	const [x2, y2] = [isForward ? to.x : to.x + boxWidth, to.y + headHeight / 2];
	const bend = isForward ? Math.max((x2 - x1) / 2, 30) : 56;
	return s(`path.edge${property.type === "link" ? "" : ".embedded"}`, {
		"marker-end": "url(#arrow)",
		d: `M${x1} ${y1}C${x1 + bend} ${y1} ${isForward ? x2 - bend : x2 + bend} ${y2} ${x2} ${y2}`,
	}, s("title", `${from.name}.${property.name} → ${to.name}`));
}

function draw({ name, isEmbedded, lines, more, x, y, height }, address) {
	const lineY = (index) => y + headHeight + 17 + index * lineHeight;
	return s(`a.box${isEmbedded ? ".embedded" : ""}`, { href: address(name) },
		s("rect", { x, y, width: boxWidth, height, rx: 8 }),
		s("text.box-name", { x: x + 12, y: y + 20 }, cut(name)),
		lines.map((line, index) => [
			s("text.box-line", { x: x + 12, y: lineY(index) }, cut(line.name)),
			s("text.box-line.end", { x: x + boxWidth - 12, y: lineY(index) },
				marks[line.collection] ?? "")]),
		more > 0 && s("text.box-line", { x: x + 12, y: lineY(lines.length) }, `and ${more} more`));
}

function cut(text) {
	return text.length > 20 ? `${text.slice(0, 19)}…` : text;
}
