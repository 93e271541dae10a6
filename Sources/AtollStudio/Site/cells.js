// Shows values by their type, in tables and elsewhere.

import { h, button } from "./dom.js";
import { ago, count, moment, number } from "./format.js";
import { href } from "./router.js";

const longestShown = 400;
const bytesShown = 8;
const isNarrow = matchMedia("(max-width: 760px)");

export function nil() {
	return h("span.nil", "nil");
}

/// A cell, as its property says; `open` shows what is in it beside it.
export function cell({ kind, text, type }, property, store, open) {
	if (kind === "null" || kind === "absent") return nil();
	if (kind === "object") return h("span.faint", "present");
	if (kind === "value") return value(text, type, property, store);
	if (text === "0") return h("span.faint", "empty");
	const words = { list: ["element"], set: ["member"], map: ["entry", "entries"] };
	const said = kind === "nested" ? text
		: count(Number(text), ...words[property?.collection] ?? words.list);
	return open ? button(said, (event) => open(event.currentTarget), "opener",
		{ tabindex: -1, "aria-haspopup": "dialog" }) : said;
}

/// A value that is there, from the text that the command line writes.
export function value(text, type, property, store) {
	if (property?.type === "link") return link(text, property.target, store);
	switch (type) {
		case "Bool":
			return h(`span.bool.${text}`, text);
		case "Date":
			return date(text);
		case "Data":
			return data(text);
		case "UUID":
		case "ObjectId":
		case "identity":
			return h("span.mono", { title: text }, text);
		case "String":
			return string(text);
		case "Double":
			// The last binary digits say nothing.
			return h("span", { title: text }, text.length > 15 ? `${+(+text).toPrecision(12)}` : text);
		default:
			return h("span", text);
	}
}

function string(text) {
	if (text === "") return h("span.faint", '""');
	if (/^https?:\/\/\S+$/i.test(text)) {
		return h("a", { href: text, target: "_blank", rel: "noopener noreferrer", tabindex: -1 }, text);
	}
	const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
	return h("span", { title: text.length > 24 ? shown : undefined }, shown);
}

export function link(key, target, store) {
	return h("a.link", { tabindex: -1, title: `Open ${target} ${key}`,
		href: href(store, "object", [target, key]) }, key);
}

/// 2002-03-31 01:30:00 UTC; the time here and how long ago as a hint.
function date(text) {
	const found = /^(-?\d{4,}-\d\d-\d\d)T(\d\d:\d\d:\d\d(\.\d+)?)Z$/.exec(text);
	if (!found) return h("span", text);
	const time = Date.parse(text);
	const hint = Number.isNaN(time) ? undefined : `${moment(time)} here, ${ago(time)}`;
	return h("time", { datetime: text, title: hint }, `${found[1]} ${found[2]}`,
		h("span.unit", " UTC"));
}

/// From `<00ff, 2 bytes>`.
function data(text) {
	const found = /^<([0-9a-f]*)…?, ([\d,]+) bytes?>$/i.exec(text);
	return found ? bytes(found[1], Number(found[2].replace(/,/g, ""))) : h("span.mono", text);
}

/// The first bytes in hexadecimal, and how many there are.
export function bytes(hex, size) {
	const groups = hex.slice(0, bytesShown * 2).match(/.{1,4}/g) ?? [];
	return h("span", h("span.mono", groups.join(" "), size > bytesShown && "…"),
		h("span.unit", ` ${number(size)} B`));
}

const widths = {
	Bool: 84, Date: 208, UUID: 316, ObjectId: 218, Data: 232, collection: 112,
	"embedded object": 96,
};

/// How wide a column begins, by its type and the longest text on the first page.
export function widthFor({ property, path, isKey }, rows, place) {
	let longest = 0;
	for (const row of rows) longest = Math.max(longest, row[place].text.length);
	const wanted = widths[property?.collection ? "collection" : property?.type] ??
		Math.min(longest * 7.4 + (property?.type === "link" ? 52 : 28), 280);
	const width = Math.round(Math.max(wanted, Math.min(path.length * 7 + 44, 200), 72));
	// The key stays in sight beside the other columns, which need room too.
	return isKey && isNarrow.matches ? Math.min(width, 130) : width;
}
