// Draws classes and the links between them: a box a class, layers from left to right along the links.

import { s } from "./dom.js";

const [boxWidth, headHeight, lineHeight, gapX, gapY, rowsInBox] = [184, 30, 20, 84, 22, 9];

/// An SVG of the classes; `address` gives what a click on a class opens.
export function drawSchema(schema, address) {
  const boxes = schema.classes.map(box);
  const byName = new Map(boxes.map((one) => [one.name, one]));
  layers(boxes, byName);
  const columns = arrange(boxes, byName);
  const width = columns.length * (boxWidth + gapX) - gapX + 40;
  const height = Math.max(...boxes.map((one) => one.y + one.height)) + 24;
  return s("svg", {
    class: "drawing", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `${boxes.length} classes and their links`,
  }, s("defs", {}, s("marker", {
    id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
    orient: "auto-start-reverse",
  }, s("path", { class: "arrow", d: "M0 0.8L7 4L0 7.2z" }))),
  boxes.flatMap((one) => one.lines.map((line, index) => edge(one, line, index, byName))),
  boxes.map((one) => drawBox(one, address)));
}

function box(one) {
  const links = one.properties.filter((property) => property.target);
  const lines = links.slice(0, rowsInBox);
  return {
    name: one.name, isEmbedded: one.isEmbedded, key: one.key, lines,
    more: links.length - lines.length, targets: [...new Set(links.map((link) => link.target))],
    height: headHeight + (lines.length + (links.length > lines.length ? 1 : 0)) * lineHeight +
      (lines.length ? 8 : 0),
  };
}

/// A class stands to the right of those that link to it; links that close a circle do not count.
function layers(boxes, byName) {
  const open = new Set();
  const visit = (one, layer) => {
    if (open.has(one) || layer > boxes.length) return;
    one.layer = Math.max(one.layer ?? 0, layer);
    open.add(one);
    for (const name of one.targets) {
      const target = byName.get(name);
      if (target && target !== one && (target.layer ?? -1) < layer + 1) visit(target, layer + 1);
    }
    open.delete(one);
  };
  const linked = new Set(boxes.flatMap((one) => one.targets.filter((name) => name !== one.name)));
  for (const one of boxes) if (!linked.has(one.name)) visit(one, 0);
  for (const one of boxes) if (one.layer === undefined) visit(one, 0);
}

function arrange(boxes, byName) {
  const columns = [];
  for (const one of boxes) (columns[one.layer] ??= []).push(one);
  const used = columns.filter(Boolean);
  // Classes that nothing links with would make one high column; they go into a last one of their own.
  used.forEach((column, place) => {
    if (place > 0) column.sort((a, b) => middle(a, boxes) - middle(b, boxes));
    let y = 12;
    for (const one of column) {
      one.x = 20 + place * (boxWidth + gapX);
      one.y = y;
      y += one.height + gapY;
    }
  });
  return used;
}

function middle(one, boxes) {
  const sources = boxes.filter((other) => other.targets.includes(one.name) && other.y !== undefined);
  if (!sources.length) return 1e6;
  return sources.reduce((sum, other) => sum + other.y, 0) / sources.length;
}

function edge(from, property, index, byName) {
  const to = byName.get(property.target);
  if (!to) return undefined;
  const y1 = from.y + headHeight + 4 + index * lineHeight + lineHeight / 2;
  const y2 = to.y + headHeight / 2;
  const isForward = to.x > from.x;
  const x1 = from.x + boxWidth;
  const x2 = isForward ? to.x : to.x + boxWidth;
  const bend = isForward ? Math.max((x2 - x1) / 2, 30) : 56;
  return s("path", {
    class: `edge ${property.type === "embedded object" ? "embedded" : ""}`,
    "marker-end": "url(#arrow)",
    d: `M${x1} ${y1}C${x1 + bend} ${y1} ${isForward ? x2 - bend : x2 + bend} ${y2} ${x2} ${y2}`,
  }, s("title", {}, `${from.name}.${property.name} → ${to.name}`));
}

function drawBox(one, address) {
  const marks = { list: "[ ]", set: "{ }", map: "[:]" };
  return s("a", { href: address(one.name), class: `box ${one.isEmbedded ? "embedded" : ""}` },
    s("rect", { x: one.x, y: one.y, width: boxWidth, height: one.height, rx: 8 }),
    s("text", { class: "box-name", x: one.x + 12, y: one.y + 20 }, cut(one.name, 20)),
    one.lines.map((line, index) => {
      const y = one.y + headHeight + 4 + index * lineHeight + 13;
      return [s("text", { class: "box-line", x: one.x + 12, y }, cut(line.name, 20)),
        s("text", { class: "box-mark", x: one.x + boxWidth - 12, y }, marks[line.collection] ?? "")];
    }),
    one.more > 0 && s("text", { class: "box-mark start", x: one.x + 12,
      y: one.y + one.height - 10 }, `and ${one.more} more`));
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
