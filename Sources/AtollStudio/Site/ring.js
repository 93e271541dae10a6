// The replicas on a ring, and who is connected to whom, as far as this one knows.

import { s } from "./dom.js";

const [width, height, rx, ry] = [460, 310, 140, 100];
const center = { x: width / 2, y: height / 2 };

export function drawRing(studio, members, peers) {
	const others = members.filter((one) => !one.isThis);
	const linked = others.filter((one) => one.isConnected)
		.map((one) => studio.authors.name(one.replica, one.name));
	const placed = members.map((one) => {
		// Two stand beside this replica, so that no line runs through its name.
		const start = others.length === 2 ? 0 : 0.5;
		const turn = (others.indexOf(one) + start) / others.length * Math.PI * 2;
		return [one, one.isThis ? center
			: { x: center.x - Math.cos(turn) * rx, y: center.y - Math.sin(turn) * ry }];
	});
	return s("svg.ring", { viewBox: `0 0 ${width} ${height}`, role: "img", label: linked.length
		? `This replica is connected to ${linked.join(", ")}`
		: "This replica is connected to no other" },
	s("ellipse.ring-land", { cx: center.x, cy: center.y, rx, ry }),
	placed.map(([one, at]) => tie(one, at, peers)), placed.map(([one, at]) => node(studio, one, at)));
}

function tie(member, at, peers) {
	const peer = peers.find((one) => one.replica?.startsWith(member.replica));
	if (member.isThis || !member.isConnected && !peer?.isConfigured) return undefined;
	return s(`line.tie.${member.isConnected ? "up" : "broken"}`,
		{ x1: center.x, y1: center.y, x2: at.x, y2: at.y },
		s("title", member.isConnected ? "connected" : `not connected: ${peer.lastError ?? "no link"}`));
}

function node({ authors }, member, { x, y }) {
	const name = authors.name(member.replica, member.name);
	const [state, note] = member.isThis ? ["this", "this replica"]
		: member.isRetired ? ["retired", "retired"]
			: [member.isConnected ? "up" : "away", member.behind > 0 ? `${member.behind} behind`
				: member.isConnected ? "up to date" : "not connected"];
	const below = y < center.y - 20 ? y - 30 : y + (member.isThis ? 31 : 27);
	return s(`g.node.${state}.${authors.color(member.replica)}`,
		s("circle", { cx: x, cy: y, r: member.isThis ? 15 : 11 }),
		s("text.node-name", { x, y: below }, name.length > 18 ? `${name.slice(0, 17)}…` : name),
		s("text.node-note", { x, y: below + 14 }, note));
}
