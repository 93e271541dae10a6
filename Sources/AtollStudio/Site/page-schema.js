// The classes of the store with their properties, and a drawing of them.

import { h } from "./dom.js";
import { drawSchema } from "./drawing.js";
import { count, number } from "./format.js";
import { pageHead } from "./parts.js";
import { typeText } from "./schema.js";

export async function open(studio, route) {
	const { schema } = studio;
	const chosen = route.parts[0];
	const cards = schema.classes.map((one) => card(studio, one, one.name === chosen));
	const element = h("div.scroll",
		pageHead("Schema", count(schema.classes.length, "class", "classes")),
		schema.clashes.length > 0 && clashes(studio),
		schema.classes.length === 0
			? h("p.nothing", "No class is declared yet. An application declares classes " +
					"when it opens the store.")
			: [h("section.panel.drawing-place", { label: "Drawing", tabindex: 0 },
				drawSchema(schema, (name) => studio.href("schema", [name])),
				h("p.legend-line", "A full line is a link. A dashed line is an embedded object.")),
			h("div.cards", cards)]);
	return {
		title: "Schema", element,
		shown: () => cards.find((one) => one.dataset.class === chosen)
			?.scrollIntoView({ block: "start" }),
	};
}

function card(studio, one, isChosen) {
	const address = (name) => studio.schema.class(name)?.isEmbedded
		? studio.href("schema", [name]) : studio.href("objects", [name]);
	return h("section", { class: `panel class-card ${isChosen ? "chosen" : ""}`,
		"data-class": one.name, label: one.name },
	h("header.panel-head",
		h("h2", one.isEmbedded ? one.name : h("a", { href: address(one.name) }, one.name)),
		one.isEmbedded ? h("span.tag", "embedded")
			: h("span.tally", count(one.objects, "object"))),
	h("table.schema-table",
		h("thead.unseen", h("tr", h("th", { scope: "col" }, "Property"),
			h("th", { scope: "col" }, "Type"))),
		h("tbody", one.key && line(one.key, "key", address),
			!one.key && !one.isEmbedded && h("tr", h("th.faint", { scope: "row" },
				"hidden key"), h("td", h("span.type", "identity"))),
			one.properties.map((property) => line(property, undefined, address)))),
	one.backlinks.length > 0 && h("p.backlink-line", "Linked from ",
		one.backlinks.map((link, place) => [place > 0 && ", ",
			h("a", { href: address(link.class) }, `${link.class}.${link.property}`)])));
}

function line(property, note, address) {
	const type = typeText(property);
	return h("tr", h("th", { scope: "row" }, property.name,
		note && [" ", h("span.tag", note)]),
	h("td", h("span.type", property.target
		? [h("a", { href: address(property.target) }, type),
			property.type === "embedded object" && " embedded"] : type)));
}

function clashes(studio) {
	return h("section.panel.warn", { label: "Clashes" }, h("h2", "Clashes"),
		h("p", "Authors declared other types under one name. Each keeps its values."),
		h("ul.plain", studio.schema.clashes.map((clash) => h("li",
			h("strong", clash.property ? `${clash.class}.${clash.property}` : clash.class), ": ",
			Object.entries(clash.types ?? {}).map(([type, authors], place) => [place > 0 && "; ",
				h("span.type", type), ` by ${authors.length > 3
					? `${number(authors.length)} authors`
					: authors.map((one) => studio.authors.name(one)).join(", ")}`])))));
}
