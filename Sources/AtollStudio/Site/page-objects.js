// The objects of a class: a table, a filter, a map, and edits of one or many.

import { h, fill, button, icon } from "./dom.js";
import { cell, widthFor } from "./cells.js";
import { complain, popover } from "./dialog.js";
import { FilterField } from "./filter-field.js";
import { count, duration } from "./format.js";
import { throttled } from "./live.js";
import { MapPanel } from "./map.js";
import { newObject } from "./object-forms.js";
import { pageHead } from "./parts.js";
import { go, replace } from "./router.js";
import { Rows } from "./rows.js";
import { isNumeric, typeText } from "./schema.js";
import { Selection } from "./selection.js";
import { Table } from "./table.js";
import { showTree } from "./tree.js";

const unsortable = ["embedded object", "any value", "identity", "link"];

export async function open(studio, route) {
	const { roots } = studio.schema;
	const first = roots.find((one) => !one.name.startsWith("atoll.")) ?? roots[0];
	const className = route.parts[0] ?? first?.name;
	if (!className) {
		return { title: "Objects", element: h("div.nothing", h("h1", "No classes yet"),
			h("p", "An application declares classes when it opens the store. " +
				"So does atoll import with a schema.")) };
	}
	studio.schema.need(className);
	const page = new ObjectsPage(studio, className, route.values);
	await page.begin();
	return page;
}

class ObjectsPage {
	constructor(studio, className, values) {
		Object.assign(this, { studio, className, title: className });
		this.listing = listingOf(className, values);
		this.table = new Table(this, `Objects of ${className}`);
		this.selection = new Selection(studio, this);
		this.tally = h("span", { role: "status" });
		this.filter = new FilterField({
			schema: studio.schema, className: () => className, label: `Filter ${className}`,
			placeholder: `Filter, such as  ${example(studio.schema, className)}`,
			values: (path) => this.valuesInSight(path),
			apply: (text) => this.applyFilter(text), leave: () => this.enter(),
		});
		this.filter.set(values.where ?? "");
		this.pair = studio.schema.coordinates(className);
		this.build();
		this.redraw = throttled(16, () => this.draw());
		if (values.map && this.mapButton) this.toggleMap();
	}

	build() {
		const wide = (text) => h("span.wide-only", text);
		this.mapPlace = h("div.map-place", { hidden: true });
		this.mapButton = this.pair && button([icon("map"), wide("Map")],
			() => this.toggleMap(), "quiet", { "aria-pressed": "false", title: "Map (m)", label: "Map" });
		this.exports = h("details.menu", h("summary.button.quiet", { title: "Export what is shown" },
			icon("download"), wide("Export")), h("div.menu-items"));
		this.note = h("div.grid-note", { hidden: true });
		this.element = h("div.objects",
			pageHead(this.className, this.tally, this.mapButton, this.exports,
				!this.studio.isReadOnly && button([icon("plus"), "New"], () => this.create(), "primary",
					{ title: "New object (n)" })),
			h("div.toolbar", this.filter.element),
			h("div.objects-body", h("div.grid-place", this.table.element, this.note), this.mapPlace),
			this.selection.bar);
	}

	async begin() {
		this.makeRows();
		const first = new Promise((resolve) => { this.came = resolve; });
		this.rows.row(0);
		this.rows.count();
		await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 400))]);
	}

	makeRows() {
		const columns = this.rows?.columns ?? [];
		this.rows = new Rows(this.studio.api, this.listing, () => this.arrived());
		this.rows.columns = columns;
		this.rows.inSight = (from, to) => this.table.isInSight(from, to) || !this.total;
		this.made = undefined;
		this.showExports();
	}

	// Called by the frame, the router, the keys and the live events.

	shown() {
		this.draw();
		if (matchMedia("(pointer: fine)").matches) this.enter();
	}

	close() {
		this.table.close();
		this.map?.close();
	}

	update(route) {
		if ((route.parts[0] ?? this.className) !== this.className) return false;
		const listing = listingOf(this.className, route.values);
		if (JSON.stringify(listing) !== JSON.stringify(this.listing)) {
			this.filter.set(route.values.where ?? "");
			this.relist(listing);
		}
		return true;
	}

	/// Something was committed; `news` says in which classes and by whom, if that is known.
	committed(news) {
		if (news && !news.concerns(this.className)) return;
		this.rows.refresh();
		this.draw();
		this.map?.refresh();
		this.by = news?.others.join(", ");
		clearTimeout(this.forgetting);
		this.forgetting = setTimeout(() => { this.by = ""; this.showTally(); }, 4000);
	}

	pressed(event) {
		if (event.key === "n" && !this.studio.isReadOnly) this.create();
		else if (event.key === "m" && this.mapButton) this.toggleMap();
		else if (event.key.startsWith("Arrow")) this.enter();
		else return false;
		return true;
	}

	enter() {
		this.table.enter();
	}

	escape() {
		if (this.exports.open) return !(this.exports.open = false);
		if (this.selection.clear()) return true;
		if (!this.filter.text) return false;
		this.filter.set("", true);
		return true;
	}

	// Rows.

	arrived() {
		this.came?.();
		if (this.rows.error) this.filter.show(this.rows.error);
		this.redraw();
	}

	draw() {
		const { rows, table } = this;
		if (rows.columns.length && !this.made) this.makeColumns();
		table.draw();
		const [first, last] = table.range;
		let isLit = false;
		for (let place = first; place < last; place += 1) {
			const changed = rows.differences(place);
			if (!changed) continue;
			table.light(place, changed === "row" ? changed : changed.map((one) => one + this.offset));
			isLit = true;
		}
		if (isLit) rows.settle();
		this.showTally();
	}

	showTally() {
		const { total, error, milliseconds = 0 } = this.rows;
		const { where } = this.listing;
		fill(this.tally, total === undefined ? "Counting" : count(total, "object"),
			where && total !== undefined && ` in ${duration(milliseconds)}`,
			this.by && h("span.tag.good", `changed by ${this.by}`));
		const problem = error && !this.made;
		this.note.hidden = total !== 0 && !problem;
		if (problem) fill(this.note, h("p", error.message));
		else if (total === 0) {
			fill(this.note, h("p", where ? "No object satisfies the filter."
				: `There are no objects of ${this.className}.`),
			where && button("Clear the filter", () => this.filter.set("", true)));
		}
	}

	relist(listing) {
		this.listing = listing;
		replace(this.address);
		this.table.reset();
		this.makeRows();
		this.rows.count();
		this.rows.row(0);
		this.map?.show(listing.where);
		this.draw();
	}

	get address() {
		const { where, sort, descending } = this.listing;
		return this.studio.href("objects", [this.className],
			{ where, sort, descending: descending || undefined, map: this.map ? 1 : undefined });
	}

	async applyFilter(text) {
		const where = text || undefined;
		if (where === this.listing.where) return this.rows.error;
		try {
			await this.studio.api.get("objects", { class: this.className, where, count: 1 });
		} catch (error) {
			return error;
		}
		if (text === this.filter.text) {
			this.selection.clear();
			this.relist({ ...this.listing, where });
		}
		return undefined;
	}

	sortBy(path) {
		const { sort, descending } = this.listing;
		const isSame = sort === path;
		this.relist({ ...this.listing, sort: isSame && descending ? undefined : path,
			descending: isSame && !descending });
	}

	valuesInSight(path) {
		const place = this.rows.columns.indexOf(path);
		const found = new Set();
		for (const row of this.rows.known()) {
			if (row[place]?.kind === "value" && row[place].text.length < 60) found.add(row[place].text);
			if (found.size > 400) break;
		}
		return [...found].sort((a, b) => a.localeCompare(b));
	}

	// Requests of the table.

	get total() {
		return this.rows.total ?? (this.rows.error ? 0 : undefined);
	}

	get offset() {
		return this.studio.isReadOnly ? 0 : 1;
	}

	row(place) {
		return this.rows.row(place);
	}

	columns() {
		return this.made ?? [];
	}

	makeColumns() {
		const sample = [...this.rows.known()].slice(0, 150);
		if (!sample.length && !this.widths) return;
		// Widths stay as they were first: a filter does not make the columns jump.
		this.widths ??= new Map();
		const { sort, descending } = this.listing;
		const made = this.studio.schema.columns(this.className, this.rows.columns)
			.map((column, place) => {
				const { property, path, isKey } = column;
				const isNumber = !property?.collection && isNumeric(property?.type);
				if (!this.widths.has(path)) this.widths.set(path, widthFor(column, sample, place));
				const isSortable = !property?.collection && !unsortable.includes(property?.type);
				return {
					...column, place, name: path, title: `${path}: ${typeText(property)}`,
					width: this.widths.get(path), isFixed: isKey,
					class: `${isNumber ? "right" : ""} ${isKey ? "fixed key" : ""}`,
					direction: sort === path ? (descending ? "descending" : "ascending") : "none",
					sort: isSortable ? () => this.sortBy(path) : undefined,
				};
			});
		if (!this.studio.isReadOnly) {
			made.unshift({ path: "", width: 36, isFixed: true, isSelector: true,
				class: "fixed selector", heading: this.selection.all });
		}
		this.made = made;
	}

	cell(row, column, place) {
		if (column.isSelector) return this.selection.box(row, place);
		const one = row[column.place];
		const key = this.keyOf(row);
		if (column.isKey) {
			return h(`a.key-link.${one.type}`, { tabindex: -1, title: key,
				href: this.studio.href("object", [this.className, key]) }, key || '""');
		}
		return cell(one, column.property, this.studio.store,
			(anchor) => this.peek(anchor, key, column.path));
	}

	keyOf(row) {
		return row[0].kind === "null" ? "nil" : row[0].text;
	}

	isSelected(row) {
		return this.selection.has(row);
	}

	toggle(place, isRange) {
		this.selection.toggle(place, isRange);
	}

	clicked(place, event) {
		if (event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(place, event.shiftKey);
		else this.selection.anchor = place;
	}

	open(place) {
		const row = this.rows.row(place);
		if (row) go(this.studio.href("object", [this.className, this.keyOf(row)]));
	}

	/// Shows a collection, or what else is in a cell, beside it.
	async peek(anchor, key, path) {
		try {
			const answer = await this.studio.api.getExactly("object", { class: this.className, key });
			popover(anchor, path, h("div.popover-body",
				showTree(this.studio, this.className, answer.object, path),
				h("a", { href: this.studio.href("object", [this.className, key]) }, "Open the object")));
		} catch (error) {
			complain(error);
		}
	}

	// The buttons.

	async create() {
		const key = await newObject(this.studio, this.className);
		if (key !== undefined) go(this.studio.href("object", [this.className, key]));
	}

	showExports() {
		const { className, listing: { where } } = this;
		fill(this.exports.lastChild, [["csv", "CSV"], ["jsonl", "JSON lines"]].map(([format, name]) =>
			h("a", { href: this.studio.api.address("export", { class: className, where, format }),
				download: `${className}.${format}`,
				on: { click: () => { this.exports.open = false; } } }, name)));
	}

	toggleMap() {
		const isOpening = !this.map;
		this.map?.close();
		this.map = isOpening ? new MapPanel(this.studio, this.className, this.pair, (area) => {
			this.filter.set(withArea(this.filter.text, this.area, area), true);
			this.area = area;
		}) : undefined;
		fill(this.mapPlace, this.map?.element);
		this.mapPlace.hidden = !isOpening;
		this.mapButton.setAttribute("aria-pressed", isOpening);
		this.map?.show(this.listing.where);
		replace(this.address);
	}
}

function listingOf(className, { where, sort, descending }) {
	return { class: className, where: where || undefined, sort: sort || undefined,
		descending: descending === "true" };
}

/// A filter with another area for the last one, or beside what was written.
function withArea(text, last, area) {
	const rest = last && text.endsWith(last)
		? text.slice(0, -last.length).replace(/ AND $/, "").replace(/^\((.*)\)$/s, "$1") : text;
	return rest ? `(${rest}) AND ${area}` : area;
}

function example(schema, className) {
	const own = schema.properties(className).filter((one) => !one.collection);
	const text = own.find((one) => /^(name|title)$/i.test(one.name)) ??
		own.find((one) => one.type === "String");
	const amount = own.find((one) => isNumeric(one.type));
	return [text && `${text.name} CONTAINS "a"`, amount && `${amount.name} > 100`]
		.filter(Boolean).join(" AND ") || "TRUEPREDICATE";
}
