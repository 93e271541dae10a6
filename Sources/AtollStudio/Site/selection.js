// The selected objects of a table, and actions on all of them.

import { h, fill, button, icon } from "./dom.js";
import { complain, confirm } from "./dialog.js";
import { count, number } from "./format.js";
import { setMany } from "./object-forms.js";

const mostSelected = 10_000;

export class Selection {
	constructor(studio, page) {
		Object.assign(this, { studio, page, keys: new Set() });
		this.bar = h("div.selection-bar", { role: "region", label: "Selection", hidden: true });
		this.all = h("input", { type: "checkbox", label: "Select all that are listed",
			on: { change: () => this.selectAll(this.all.checked) } });
	}

	has(row) {
		return this.keys.has(this.page.keyOf(row));
	}

	box(row, place) {
		return h("input", { type: "checkbox", tabindex: -1, label: `Select ${row[0].text}`,
			checked: this.has(row),
			on: { click: (event) => { event.stopPropagation(); this.toggle(place, event.shiftKey); } } });
	}

	/// Selects a row or not; with Shift all rows from the last one that was clicked.
	toggle(place, isRange) {
		const { rows, keyOf } = this.page;
		const row = rows.row(place);
		if (!row || this.studio.isReadOnly) return;
		const isOn = isRange || !this.has(row);
		const from = isRange ? this.anchor ?? place : place;
		for (let at = Math.min(from, place); at <= Math.max(from, place); at += 1) {
			const one = rows.row(at);
			if (one && isOn) this.keys.add(keyOf(one));
			else if (one) this.keys.delete(keyOf(one));
		}
		this.anchor = place;
		this.show();
	}

	async selectAll(isOn) {
		const { rows, listing, keyOf } = this.page;
		this.keys.clear();
		if (isOn && rows.total > mostSelected) {
			complain(new Error(`At most ${number(mostSelected)} objects can be selected, and ` +
				`${number(rows.total)} are listed. Filter first.`));
		} else if (isOn) {
			try {
				for (let from = 0; from < rows.total; from += 1000) {
					const answer = await this.studio.api.get("objects", { ...listing, from, count: 1000 });
					for (const row of answer.rows) this.keys.add(keyOf(row));
				}
			} catch (error) {
				complain(error);
			}
		}
		this.show();
	}

	clear() {
		const had = this.keys.size > 0;
		this.keys.clear();
		this.show();
		return had;
	}

	show() {
		const { size } = this.keys;
		const { table, rows } = this.page;
		this.all.checked = size > 0 && size === rows.total;
		this.all.indeterminate = size > 0 && size !== rows.total;
		table.markAll();
		for (const row of table.rows.values()) {
			const box = row.element.querySelector(".selector input");
			if (box && row.data) box.checked = this.has(row.data);
		}
		this.bar.hidden = size === 0;
		fill(this.bar, h("strong", `${number(size)} selected`),
			button([icon("edit"), "Set a property"], () => this.set()),
			button([icon("trash"), "Delete"], () => this.delete(), "danger-text"),
			button("Clear", () => this.clear(), "quiet"));
	}

	async set() {
		if (await setMany(this.studio, this.page.className, [...this.keys])) this.clear();
		this.page.enter();
	}

	async delete() {
		const objects = count(this.keys.size, "object");
		const isSure = await confirm(`Delete ${objects}?`, ["They are deleted on every replica. " +
			"Links to them become nil. You can undo it afterwards."], "Delete", true);
		if (!isSure) return;
		const edits = [...this.keys].map((key) =>
			({ kind: "delete", class: this.page.className, key }));
		if (await this.studio.edits.write(edits, `${objects} deleted.`)) this.clear();
		this.page.enter();
	}
}
