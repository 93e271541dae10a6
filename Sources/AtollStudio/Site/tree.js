// Shows a value with all that is in it, to read.

import { h } from "./dom.js";
import { bytes, link, nil, value } from "./cells.js";
import { keyText, member, plainOf } from "./values.js";

const mostShown = 500;

export function showTree(studio, className, object, path) {
	let json = object;
	let name = className;
	let property;
	path.split(".").forEach((step, depth) => {
		property = studio.schema.properties(name).find((one) => one.name === step);
		json = property && json ? member(json, property, depth === 0) : json?.[step];
		name = property?.target;
	});
	return valueTree(studio, property ?? { type: "any value" }, json);
}

/// A value of a property, collections and embedded objects unfolded.
export function valueTree(studio, property, json) {
	if (json === undefined || json === null) {
		return property.collection ? h("span.faint", "empty") : nil();
	}
	const one = { ...property, collection: undefined };
	switch (property.collection) {
		case "list":
			return list(json.map((item) => valueTree(studio, one, item)), "ol");
		case "set":
			return list(json.map((item) => valueTree(studio, one, item)), "ul");
		case "map":
			return entries(Object.entries(json)
				.map(([key, item]) => [key, valueTree(studio, one, item)]));
	}
	if (property.type === "embedded object") return embedded(studio, property, json);
	return scalar(studio, property, json);
}

function embedded(studio, property, json) {
	return entries(studio.schema.properties(property.target).map((one) =>
		[one.name, valueTree(studio, one, member(json, one))]));
}

/// A value of one slot; any-typed slots may have lists and maps in them.
export function scalar(studio, property, json) {
	const plain = plainOf(json, property);
	if (plain?.isNil) return nil();
	if (plain?.type === "link") {
		return link(keyText(json.key), json.class, studio.store);
	}
	if (plain?.type === "Data") return bytes(plain.text, plain.text.length / 2);
	if (plain) return value(plain.text, plain.type, property, studio.store);
	const any = { type: "any value" };
	if (Array.isArray(json)) return list(json.map((item) => scalar(studio, any, item)), "ol");
	const own = Object.keys(json).length === 1 && json.map && typeof json.map === "object"
		? json.map : json;
	return entries(Object.entries(own).map(([key, item]) => [key, scalar(studio, any, item)]));
}

function list(items, tag) {
	if (!items.length) return h("span.faint", "empty");
	return h(tag, { class: "tree-list", start: 0 },
		items.slice(0, mostShown).map((item) => h("li", item)),
		items.length > mostShown && h("li.faint", `and ${items.length - mostShown} more`));
}

function entries(pairs) {
	if (!pairs.length) return h("span.faint", "empty");
	return h("dl.tree-map", pairs.slice(0, mostShown).map(([key, item]) =>
		h("div", h("dt", key), h("dd", item))));
}
