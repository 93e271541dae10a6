// Forms for a new object, and for one property of many objects.

import { h, fill, button } from "./dom.js";
import { complain, dialog } from "./dialog.js";
import { valueField } from "./editor.js";
import { count } from "./format.js";
import { typeText } from "./schema.js";
import { keyText, newObjectID, newUUID } from "./values.js";

function single(schema, className) {
	return schema.class(className).properties
		.filter((one) => !one.collection && one.type !== "embedded object");
}

/// A dialog with a form. `send` writes; what it throws is shown.
function form(title, rows, note, action, send) {
	return dialog(title, (close) => {
		const message = h("p.field-error", { role: "alert" });
		const submit = async (event) => {
			event.preventDefault();
			try {
				close(await send());
			} catch (error) {
				fill(message, error.message);
			}
		};
		return h("form.dialog-body", { on: { submit } }, rows, h("p.faint.small", note), message,
			h("div.dialog-actions", button("Cancel", () => close()),
				h("button.primary", { type: "submit" }, action)));
	});
}

function row(name, type, content) {
	return h("div.form-row", h("span.form-name", name, h("span.type", type)), content);
}

/// Asks for the values of a new object and makes it; the answer is its key.
export function newObject(studio, className) {
	const { key } = studio.schema.class(className);
	const start = { UUID: { uuid: newUUID() }, ObjectId: { objectId: newObjectID() } }[key?.type];
	const keyField = key && valueField(studio, key, start, { isNew: true, isRequired: true });
	const fields = single(studio.schema, className).map((property) =>
		({ property, field: valueField(studio, property, undefined, { isNew: true }) }));
	const rows = fields.map(({ property, field }) =>
		row(property.name, typeText(property), field.element));
	if (key) rows.unshift(row(key.name, `${typeText(key)}, key`, keyField.element));
	return form(`New ${className}`, rows, "Fields left as they are become nil. Lists, sets, maps " +
		"and embedded objects are filled on the object's page.", "Create", async () => {
		const made = keyField?.read();
		const values = key ? { [key.name]: made } : {};
		for (const { property, field } of fields) {
			const json = reading(property, field);
			if (json !== null) values[property.name] = json;
		}
		await studio.edits.write([{ kind: "create", class: className, values }],
			`${className} made.`, { throws: true });
		return key && keyText(made);
	});
}

function reading(property, field) {
	try {
		return field.read();
	} catch (error) {
		throw new Error(`${property.name}: ${error.message}`);
	}
}

/// Asks for a property and a value for all objects; true once it is done.
export async function setMany(studio, className, keys) {
	const choices = single(studio.schema, className);
	if (!choices.length) return complain(new Error(`${className} has no property for a form.`));
	const objects = count(keys.length, "object");
	const place = h("div");
	const select = h("select", { label: "Property", autofocus: true, on: { change: () => choose() } },
		choices.map((one, index) => h("option", { value: index }, `${one.name}: ${typeText(one)}`)));
	let field;
	const choose = () => {
		field = valueField(studio, choices[select.value], undefined);
		fill(place, row("Value", "", field.element));
	};
	choose();
	return form(`Set a property of ${objects}`, [row("Property", "", select), place],
		"All of it is one transaction, and one changeset.", `Set ${objects}`, async () => {
			const { name } = choices[select.value];
			const values = { [name]: field.read() };
			return studio.edits.write(
				keys.map((key) => ({ kind: "set", class: className, key, values })),
				`${name} set on ${objects}.`, { throws: true });
		});
}
