// One value on an object's page, edited in place; collections by their elements.

import { h, fill, button, icon, iconButton } from "./dom.js";
import { valueField } from "./editor.js";
import { valueTree } from "./tree.js";

const elementsShown = 100;

export class ValueEditor {
	constructor(page, property, json, path) {
		Object.assign(this, { page, property, json, path, studio: page.studio });
		this.isEmbedded = property.type === "embedded object";
		this.name = path.join(".");
		this.one = { ...property, collection: undefined };
		this.element = h("div.value", page.isEditable && property.collection ? this.elements()
			: [valueTree(this.studio, property, json), this.steps()]);
		if (!this.tool) return;
		this.element.classList.add("editable");
		this.element.addEventListener("dblclick",
			(event) => !event.target.closest("a, button, form") && this.edit());
	}

	get tool() {
		if (!this.page.isEditable || this.property.collection || this.isEmbedded) return undefined;
		return iconButton("edit", `Edit ${this.name}`, () => this.edit());
	}

	edit() {
		this.open(this.element, this.json, (json) => this.page.setting(this.path, json));
	}

	/// Adds to a whole number and takes from it. Steps of several replicas add up.
	steps() {
		if (this.property.type !== "Int" || this.json === undefined || !this.tool) return undefined;
		return [-1, 1].map((by) => button(by > 0 ? "+1" : "−1",
			() => this.write("increment", { by }), "quiet step",
			{ label: `${by > 0 ? "Add 1 to" : "Take 1 from"} ${this.name}` }));
	}

	change(kind, rest) {
		return this.page.change(kind, this.path, rest);
	}

	write(kind, rest) {
		this.page.write([this.change(kind, rest)]);
	}

	/// Puts a field in the place of what `place` shows. `edit` makes the edit of what was typed.
	open(place, json, edit, asksEntry = false) {
		const { page } = this;
		page.editing = this;
		const field = valueField(this.studio, this.one, json, { label: this.name });
		const entry = asksEntry &&
			h("input.entry-key", { label: "Key of the entry", placeholder: "key" });
		const message = h("p.field-error", { role: "alert" });
		const submit = async (event) => {
			event.preventDefault();
			try {
				if (entry && entry.value === "") throw new Error("Write a key for the entry.");
				await page.write([edit(field.read(), entry?.value)], { throws: true });
			} catch (error) {
				fill(message, error.message);
			}
		};
		const keydown = (event) => {
			if (event.key === "Escape") {
				event.stopPropagation();
				page.escape();
			} else if (event.key === "Enter" && event.target.tagName === "TEXTAREA" && !event.shiftKey) {
				submit(event);
			}
		};
		fill(place, h("form.inline-form", { on: { submit, keydown } }, entry, field.element,
			h("button.primary", { type: "submit" }, "Save"),
			button("Cancel", () => page.escape(), "quiet"), message));
		(entry || field).focus();
	}

	// Collections.

	elements() {
		const { collection } = this.property;
		const pairs = Object.entries(this.json ?? {});
		const add = {
			list: (value) => this.change("insert", { at: pairs.length, value }),
			set: (value) => this.change("add", { value }),
			map: (value, entry) => this.change("put", { entry, value }),
		}[collection];
		const place = h("div.adder", button([icon("plus"), "Add"],
			() => this.open(place, this.isEmbedded ? {} : undefined, add, collection === "map"),
			"quiet small-button", { label: `Add to ${this.name}` }));
		return [pairs.length > 0 && h(`ol.elements.${collection}`,
			pairs.slice(0, elementsShown).map(([at, json]) => this.item(at, json, pairs.length)),
			pairs.length > elementsShown &&
				h("li.faint", `and ${pairs.length - elementsShown} more`)), place];
	}

	item(entry, json, total) {
		const { collection } = this.property;
		const [isList, isSet] = [collection === "list", collection === "set"];
		const at = Number(entry);
		const text = isSet ? "•" : entry;
		const value = h("div.element-value", valueTree(this.studio, this.one, json));
		const move = (to) => {
			if (to >= 0 && to < total) this.write("move", { at, to });
		};
		const remove = () => isList ? this.write("remove", { at })
			: isSet ? this.write("drop", { value: json }) : this.write("take", { entry });
		const tool = (name, verb, action) =>
			iconButton(name, `${verb} ${isSet ? value.textContent : text} of ${this.name}`, action, verb);
		const keydown = (event) => {
			const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
			if (!isList || !event.altKey || !by) return;
			event.preventDefault();
			move(at + by);
		};
		return h("li.element", { tabindex: 0, on: { keydown } }, h("span.element-place", text), value,
			h("div.element-tools", isList && [tool("up", "Move up", () => move(at - 1)),
				tool("down", "Move down", () => move(at + 1))],
			!isSet && tool("edit", "Edit", () => this.open(value, json, (now) => isList
				? this.change("replace", { at, value: now }) : this.change("put", { entry, value: now }))),
			tool("close", "Remove", remove)));
	}
}
