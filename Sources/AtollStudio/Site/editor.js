// Fields to edit one value in, by its type.

import { h, button, uniqueID } from "./dom.js";
import { quoted } from "./schema.js";
import { editText, newObjectID, newUUID, parseValue } from "./values.js";

/// A field for a value of `property`; `json` is what it begins with, undefined for nil.
///
/// Answers element, read() with the JSON (null for nil; throws a sentence), and focus().
export function valueField(studio, property, json, options = {}) {
	const given = { studio, property, json, label: property.name, ...options };
	if (property.type === "Bool") return boolField(given);
	if (property.type === "String") return stringField(given);
	if (property.type === "Date") return dateField(given);
	return property.type === "link" ? linkField(given) : textField(given);
}

const hints = {
	UUID: "8-4-4-4-12 hexadecimal digits", ObjectId: "24 hexadecimal digits", Int: "whole number",
	Double: "number", Float: "number", Decimal128: "decimal", Data: "hexadecimal digits",
	"any value": "JSON", "embedded object": "JSON object", link: "key",
};

function boolField({ json, label }) {
	const element = h("select", { label },
		["true", "false", "nil"].map((text) => h("option", { value: text }, text)));
	element.value = String(json ?? "nil");
	return { element, focus: () => element.focus(),
		read: () => (element.value === "nil" ? null : element.value === "true") };
}

function textField({ studio, property, json, label, isRequired }) {
	const { type } = property;
	const input = h("input", {
		label, value: editText(json, property), autocomplete: "off", spellcheck: "false",
		inputmode: { Int: "numeric", Double: "decimal", Float: "decimal", Decimal128: "decimal" }[type],
		placeholder: `${isRequired ? "" : "nil, or "}${hints[type] ?? type}`,
	});
	const make = { UUID: newUUID, ObjectId: newObjectID }[type];
	return {
		input, element: h("span.field-row", input,
			make && button("New", () => { input.value = make(); }, "quiet")),
		focus: () => input.select(),
		read: () => {
			if (input.value.trim() !== "") return parseValue(input.value, property, studio.schema);
			if (isRequired) throw new Error(`${property.name} needs a value.`);
			return null;
		},
	};
}

/// A string may be empty, which is not nil; so nil has a box of its own.
function stringField({ json, label, isRequired }) {
	const box = h("input", { type: "checkbox", checked: !isRequired && (json ?? null) === null });
	const grow = () => {
		area.style.setProperty("height", "auto");
		area.style.setProperty("height", `${Math.min(area.scrollHeight + 2, 280)}px`);
	};
	const area = h("textarea", { label, rows: 1, value: json ?? "", spellcheck: "false",
		on: { input: () => { box.checked = false; grow(); } } });
	requestAnimationFrame(grow);
	return {
		element: h("span.field-row", area, !isRequired && h("label.nil-box", box, "nil")),
		focus: () => area.select(),
		read: () => {
			if (isRequired && area.value === "") throw new Error("Write a key.");
			return box.checked ? null : area.value;
		},
	};
}

/// The day and time in UTC, as dates are stored; years beyond four digits as text.
function dateField(given) {
	const text = given.json?.date ?? "";
	const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?)\d*Z$/.exec(text);
	if (text && !found) return textField(given);
	const input = h("input", { type: "datetime-local", step: "0.001", label: `${given.label}, UTC`,
		value: found?.[1] ?? "" });
	const start = input.value;
	const put = (value) => () => { input.value = value(); };
	return {
		element: h("span.field-row", input, h("span.unit", "UTC"),
			button("Now", put(() => new Date().toISOString().slice(0, 19)), "quiet"),
			button("nil", put(() => ""), "quiet")),
		focus: () => input.focus(),
		read: () => {
			if (input.validity.badInput) throw new Error("Write a whole date with its time.");
			if (input.value === start && text) return given.json;
			const time = input.value.length === 16 ? `${input.value}:00` : input.value;
			return time ? { date: `${time}Z` } : null;
		},
	};
}

/// The key of the target; keys that begin so are suggested.
function linkField(given) {
	const field = textField(given);
	const list = h("datalist", { id: uniqueID() });
	const { target } = given.property;
	const key = given.studio.schema.class(target)?.key;
	field.input.setAttribute("list", list.id);
	field.element.append(list);
	field.input.addEventListener("input", async () => {
		if (key?.type !== "String") return;
		const where = `${key.name} BEGINSWITH[c] ${quoted(field.input.value.trim())}`;
		const answer = await given.studio.api.get("objects", { class: target, where, count: 12 })
			.catch(() => ({ rows: [] }));
		list.replaceChildren(...answer.rows.map((row) => h("option", { value: row[0].text })));
	});
	return field;
}
