// One object: its values, edited in place, what links to it, and why each value is so.

import { h, fill, button, icon, iconButton } from "./dom.js";
import { written } from "./api.js";
import { confirm } from "./dialog.js";
import { number } from "./format.js";
import { HistoryPanel } from "./history.js";
import { throttled } from "./live.js";
import { ValueEditor } from "./object-editor.js";
import { go, replace } from "./router.js";
import { literal, quoted, typeText } from "./schema.js";
import { member } from "./values.js";

export async function open(studio, route) {
	const [className, key = ""] = route.parts;
	studio.schema.need(className);
	const page = new ObjectPage(studio, className, key);
	await page.load();
	if (route.values.why) page.explain(route.values.why);
	return page;
}

class ObjectPage {
	constructor(studio, className, key) {
		Object.assign(this, { studio, className, key, texts: new Map() });
		this.title = `${className} ${key}`;
		this.properties = studio.schema.class(className).properties;
		this.name = h("div.page-aside");
		this.values = h("div.props");
		this.backlinks = h("section.panel.backlinks", { label: "Backlinks" });
		this.history = new HistoryPanel(studio, className, key, () => this.explain(undefined));
		this.notice = h("div.notice", { role: "status", hidden: true },
			"This object was deleted. These values were the last.");
		this.element = h("div.object.scroll", h("header.page-head",
			iconButton("back", `Back to ${className}`, () => this.back()),
			h("h1", h("span.h1-class", className), " ", h("span.h1-key", key || '""')), this.name,
			h("div.page-tools", !studio.isReadOnly &&
				button([icon("trash"), "Delete"], () => this.delete(), "danger-text"))), this.notice,
		h("div.object-body", h("section.panel", { label: "Values" }, this.values),
			h("div.object-side", this.history.element, this.backlinks)));
		this.reload = throttled(150, () => this.load(true).catch(() => undefined));
	}

	get isEditable() {
		return !this.studio.isReadOnly && this.notice.hidden;
	}

	async load(isAgain = false) {
		let answer;
		try {
			answer = await this.studio.api.getExactly("object", { class: this.className, key: this.key });
		} catch (error) {
			if (!isAgain || error.status !== 404) throw error;
		}
		if (answer) this.showBacklinks(answer.backlinks);
		const text = JSON.stringify(answer?.object, written);
		// Unchanged values are not drawn again: somebody may be about to click on it.
		if (text === this.shownText && this.values.firstChild) return;
		this.shownText = text;
		this.notice.hidden = Boolean(answer);
		this.object = answer?.object ?? this.object;
		const naming = this.properties.find((one) => /^(name|title|label)$/i.test(one.name));
		fill(this.name, naming && String(member(this.object, naming, true) ?? ""));
		this.showValues(isAgain);
	}

	// Values.

	showValues(isAgain) {
		// A field that somebody types in stays as it is.
		if (this.editing) return;
		const focused = document.activeElement?.getAttribute("aria-label");
		fill(this.values, this.rowsOf(this.properties, this.object, [], true));
		for (const row of this.values.querySelectorAll(".prop")) {
			const { path } = row.dataset;
			const text = row.querySelector(".prop-value").textContent;
			if (isAgain && this.texts.get(path) !== text) row.classList.add("lit");
			this.texts.set(path, text);
			row.classList.toggle("explained", path === this.history.path);
		}
		if (focused) this.values.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
	}

	rowsOf(properties, json, path, isRoot = false) {
		return properties.map((property) =>
			this.row(property, member(json, property, isRoot) ?? undefined, [...path, property.name]));
	}

	row(property, json, path) {
		const isNested = property.type === "embedded object" && !property.collection;
		const editor = new ValueEditor(this, property, json, path);
		const name = path.join(".");
		const presence = json === undefined ? "Make" : "Set nil";
		return h(`div.prop${isNested ? ".nested" : ""}`, { "data-path": name },
			h("div.prop-name", h("span.prop-label", property.name), h("span.type", typeText(property))),
			h("div.prop-value", isNested && json
				? this.rowsOf(this.studio.schema.properties(property.target), json, path)
				: editor.element),
			h("div.prop-tools", isNested && this.isEditable && button(presence,
				() => this.write([this.setting(path, json === undefined ? {} : null)]),
				"quiet small-button", { label: `${presence}: ${name}` }), editor.tool,
			iconButton("history", `History of ${name}`, () => this.explain(name),
				"Why is it this? Who wrote it, and when")));
	}

	/// An edit that sets a property, in the embedded object that it is in.
	setting(path, json) {
		return { kind: "set", class: this.className, key: this.key,
			path: path.slice(0, -1).join(".") || undefined, values: { [path.at(-1)]: json } };
	}

	/// An edit of what is in a property.
	change(kind, path, rest) {
		return { kind, class: this.className, key: this.key, path: path.join("."), ...rest };
	}

	async write(edits, options) {
		const isDone = await this.studio.edits.write(edits, "Written.", options);
		if (!isDone) return;
		[this.editing, this.shownText] = [];
		await this.load(true).catch(() => undefined);
		if (this.history.path) this.history.show(this.history.path);
	}

	async delete() {
		const isSure = await confirm(`Delete ${this.className} ${this.key}?`,
			["It is deleted on every replica. " +
			"Links to it become nil. You can undo it afterwards."], "Delete", true);
		this.isLeaving = isSure;
		if (isSure && await this.studio.edits.write(
			[{ kind: "delete", class: this.className, key: this.key }], `${this.key} deleted.`)) {
			go(this.studio.href("objects", [this.className]));
		} else this.isLeaving = false;
	}

	// The text beside the values.

	/// Shows the history of a property, or none.
	explain(path) {
		replace(this.studio.href("object", [this.className, this.key], { why: path }));
		if (path) this.history.show(path);
		for (const row of this.values.children) {
			row.classList.toggle("explained", row.dataset.path === path);
		}
	}

	showBacklinks(backlinks) {
		fill(this.backlinks, h("h2", "Backlinks"), backlinks.length === 0
			? h("p.faint", `No property links to ${this.className}.`)
			: h("ul.plain", backlinks.map((one) => {
				const name = `${one.class}.${one.property}`;
				return h("li", one.count ? h("a", { href: this.addressOf(one) }, name)
					: h("span.faint", name), h("span.tally", number(one.count)));
			})));
	}

	addressOf({ class: className, property }) {
		const { schema } = this.studio;
		const { key } = schema.class(this.className);
		const condition = key ? `${property}.${key.name} == ${literal(key.type, this.key)}`
			: `${property} == obj(${quoted(this.className)}, ${quoted(this.key)})`;
		const isMany = schema.property(className, property)?.collection;
		return this.studio.href("objects", [className],
			{ where: `${isMany ? "ANY " : ""}${condition}` });
	}

	// Called by the router, the keys and the live events.

	update(route) {
		return route.parts[0] === this.className && (route.parts[1] ?? "") === this.key;
	}

	committed(news) {
		if (!this.isLeaving && (!news || news.concerns(this.className))) this.reload();
	}

	escape() {
		if (this.editing) {
			this.editing = undefined;
			this.showValues();
		} else if (this.history.path) this.history.hide();
		else this.back();
		return true;
	}

	enter() {
		this.escape();
	}

	back() {
		if (history.length > 1) history.back();
		else go(this.studio.href("objects", [this.className]));
	}
}
