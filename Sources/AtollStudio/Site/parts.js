// Parts that several pages have: heads, tables, facts, authors.

import { h } from "./dom.js";
import { count, duration } from "./format.js";

export function pageHead(title, aside, ...tools) {
	return h("header.page-head", h("h1", title), h("div.page-aside", aside),
		h("div.page-tools", tools));
}

/// A table. A head that begins with `>` is of numbers; a cell knows its head, for narrow screens.
///
/// A row is an array of what its cells show; `row.properties` are of its element.
export function table(heads, rows, look = "") {
	const names = heads.map((head) => head.replace(/^>/, ""));
	const classOf = (index) => heads[index].startsWith(">") ? "right" : undefined;
	return h(`table.list${look}`, h("thead", h("tr", names.map((name, index) =>
		h("th", { scope: "col", class: classOf(index) }, name || h("span.unseen", "Actions"))))),
	h("tbody", rows.map((row) => h("tr", row.properties ?? {}, row.map((content, index) =>
		h("td", { "data-label": names[index] || undefined,
			class: names[index] ? classOf(index) : "row-tools" }, h("div", content)))))));
}

export function figure(name, value, note) {
	return h("div", h("dt", name), h("dd", value), note && h("dd.sub", note));
}

export function facts(pairs) {
	return h("dl.facts", pairs.map(([name, content]) => h("div", h("dt", name), h("dd", content))));
}

/// The name of an author or a replica with its colour.
export function author({ authors }, id, name) {
	return h("span", { class: `author ${authors.color(id)}`, title: id },
		h("span.swatch", { "aria-hidden": "true" }), authors.name(id, name));
}

/// Changesets that are stored and not applied yet; nothing if there are none.
export function deferredPanel({ status, authors }) {
	return status.deferred && h("section.panel.warn", { label: "Deferred" }, h("h2", "Deferred"),
		h("ul.plain", status.deferred.map((one) => h("li", `${authors.name(one.author, one.name)}: ` +
			`${count(one.changesets, "changeset")} stored and not applied yet, `, one.awaitsRest
			? "waiting for the rest of their transaction."
			: `ahead of this clock by ${duration(one.firstAhead)} to ${duration(one.lastAhead)}.`))));
}

export function conditions(list) {
	return h("section", { label: "Conditions" }, list.map((one) =>
		h("div.panel.condition", h("h2", h("span", { class: `badge ${one.severity}` }, one.severity),
			" ", one.name), h("p", one.sentence), h("p.faint", one.remedy))));
}
