// Draws the replicas on a ring, and who is connected to whom, as far as this replica knows.

import { s } from "./dom.js";
import { shortID } from "./format.js";

const [width, height] = [460, 300];

export function drawRing(studio, members, peers) {
  const others = members.filter((one) => !one.isThis);
  const own = members.find((one) => one.isThis);
  const radius = others.length > 8 ? 118 : 100;
  const center = { x: width / 2, y: height / 2 };
  const places = new Map(others.map((one, index) => {
    const angle = (index / others.length) * Math.PI * 2 - Math.PI / 2 + (others.length === 2 ? Math.PI / 2 : 0);
    return [one.replica, {
      x: center.x + Math.cos(angle) * radius * 1.35, y: center.y + Math.sin(angle) * radius,
    }];
  }));
  const peerOf = (member) => peers.find((peer) => peer.replica?.startsWith(member.replica));
  return s("svg", {
    class: "ring", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": describe(studio, others),
  }, s("ellipse", { class: "ring-land", cx: center.x, cy: center.y, rx: radius * 1.35, ry: radius }),
  others.map((one) => link(center, places.get(one.replica), one, peerOf(one))),
  others.map((one) => node(studio, one, places.get(one.replica))),
  own && node(studio, own, center));
}

function describe(studio, others) {
  const linked = others.filter((one) => one.isConnected)
    .map((one) => studio.authors.name(one.replica, one.name));
  return linked.length ? `This replica is connected to ${linked.join(", ")}`
    : "This replica is connected to no other";
}

function link(from, to, member, peer) {
  const state = member.isConnected ? "up" : peer?.isConfigured ? "broken" : "none";
  if (state === "none") return undefined;
  return s("line", { class: `tie ${state}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y },
    s("title", {}, state === "up" ? "connected" : `not connected: ${peer.lastError ?? "no link"}`));
}

function node(studio, member, at) {
  const name = studio.authors.name(member.replica, member.name);
  const state = member.isThis ? "this" : member.isRetired ? "retired"
    : member.isConnected ? "up" : "away";
  const note = member.isThis ? "this replica" : member.isRetired ? "retired"
    : member.behind > 0 ? `${member.behind} behind` : member.isConnected ? "up to date" : "away";
  return s("g", { class: `node ${state} ${studio.authors.color(member.replica)}` },
    s("title", {}, `${name} ${shortID(member.replica)}`),
    s("circle", { cx: at.x, cy: at.y, r: member.isThis ? 15 : 11 }),
    s("text", { class: "node-name", x: at.x, y: at.y + (member.isThis ? 32 : 27) },
      name.length > 18 ? `${name.slice(0, 17)}…` : name),
    s("text", { class: "node-note", x: at.x, y: at.y + (member.isThis ? 46 : 41) }, note));
}
