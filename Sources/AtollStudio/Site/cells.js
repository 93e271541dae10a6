// Shows values by their type, in tables and elsewhere.

import { h } from "./dom.js";
import { href } from "./router.js";
import { isNumeric } from "./schema.js";
import { ago, moment, number } from "./format.js";

const longestShown = 400;

export function nil() {
  return h("span", { class: "nil" }, "nil");
}

/// A cell of the API, as the property of its column says.
export function cell(one, property, store, openCollection) {
  switch (one.kind) {
    case "null":
    case "absent":
      return nil();
    case "object":
      return h("span", { class: "faint" }, "present");
    case "collection":
      return opener(one.text === "0" ? "empty" : countText(one.text, property),
        one.text === "0" ? undefined : openCollection);
    case "nested":
      return opener(one.text, openCollection);
    default:
      return value(one.text, one.type, property, store);
  }
}

function countText(text, property) {
  const words = { list: "element", set: "member", map: "entry" };
  const word = words[property?.collection] ?? "element";
  const many = word === "entry" ? "entries" : `${word}s`;
  return `${number(Number(text))} ${text === "1" ? word : many}`;
}

function opener(text, open) {
  if (!open) return h("span", { class: "faint" }, text);
  return h("button", {
    class: "opener", type: "button", tabindex: -1, "aria-haspopup": "dialog",
    on: { click: (event) => open(event.currentTarget) },
  }, text);
}

/// A value that is there, from the text that the command line writes.
export function value(text, type, property, store) {
  if (property?.type === "link" || type === "link") return link(text, property?.target, store);
  switch (type) {
    case "Bool":
      return h("span", { class: `bool ${text}` }, text);
    case "Date":
      return date(text);
    case "Data":
      return data(text);
    case "UUID":
    case "ObjectId":
    case "identity":
      return h("span", { class: "mono", title: text }, text);
    case "String":
      return string(text);
    default:
      return h("span", { class: isNumeric(type) ? "number" : "", title: text }, text);
  }
}

function string(text) {
  if (text === "") return h("span", { class: "faint" }, "empty string");
  if (/^https?:\/\/[^\s]+$/i.test(text)) {
    return h("a", {
      href: text, target: "_blank", rel: "noopener noreferrer", class: "url", tabindex: -1,
    }, text);
  }
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return h("span", { class: "string", title: text.length > 24 ? shown : undefined }, shown);
}

export function link(key, target, store) {
  if (!target) return h("span", {}, key);
  return h("a", {
    class: "link", tabindex: -1, title: `Open ${target} ${key}`,
    href: href(store, "object", [target, key]),
  }, key);
}

/// 2002-03-31 01:30:00 UTC; the time here and how long ago as a hint.
export function date(text) {
  const found = /^(-?\d{4,})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z$/.exec(text);
  if (!found) return h("span", { class: "date" }, text);
  const time = Date.parse(text);
  const hint = Number.isNaN(time) ? undefined : `${moment(time)} here, ${ago(time)}`;
  return h("time", { class: "date", datetime: text, title: hint },
    `${found[1]}-${found[2]}-${found[3]} ${found[4]}`, h("span", { class: "unit" }, " UTC"));
}

/// The first bytes in hexadecimal, and how many there are.
export function data(text) {
  const found = /^<([0-9a-f]*)(…?), ([\d,]+) bytes?>$/i.exec(text);
  if (!found) return h("span", { class: "mono" }, text);
  return bytesShown(found[1], Number(found[3].replace(/,/g, "")));
}

export function bytesShown(hex, size) {
  const groups = hex.slice(0, 24).match(/.{1,4}/g) ?? [];
  const isCut = size * 2 > 24;
  return h("span", { class: "data" }, h("span", { class: "mono" },
    `${groups.join(" ")}${isCut ? "…" : ""}`), h("span", { class: "unit" }, ` ${number(size)} B`));
}

/// How wide a column begins, by its type and the longest text on the first page.
export function widthFor(column, rows, place) {
  const type = column.property?.collection ? "collection" : column.property?.type;
  const fixed = {
    Bool: 84, Date: 196, UUID: 312, ObjectId: 218, Data: 230, collection: 112,
    "embedded object": 96,
  }[type];
  let longest = 0;
  for (const row of rows) longest = Math.max(longest, row[place].text.length);
  const name = column.path.length * 7 + 44;
  const wanted = fixed ?? Math.min(longest * 7.4 + 28, 280);
  return Math.round(Math.min(Math.max(wanted, Math.min(name, 200), 72), 320));
}
