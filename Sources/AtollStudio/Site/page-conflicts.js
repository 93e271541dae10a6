// The conflict ledger: writes that lost to concurrent ones, to be restored or dismissed.

import { h, fill, button } from "./dom.js";
import { complain, confirm } from "./dialog.js";
import { ago, count, milliseconds, moment, number, unquoted } from "./format.js";
import { throttled } from "./live.js";
import { author, pageHead, table } from "./parts.js";
import { replace } from "./router.js";

export async function open(studio, route) {
	const page = new ConflictsPage(studio, route);
	await page.load();
	return page;
}

class ConflictsPage {
	constructor(studio, route) {
		Object.assign(this, { studio, title: "Conflicts", selection: new Set() });
		this.tally = h("span", { role: "status" });
		this.select = h("select", { label: "Class", on: { change: () => this.narrow() } },
			h("option", { value: "" }, "All classes"),
			studio.schema.roots.map((one) => h("option", { value: one.name }, one.name)));
		this.select.value = route.values.class ?? "";
		this.search = h("input", { type: "search", placeholder: "Find a key, path, value or author",
			label: "Find", on: { input: () => this.show() } });
		this.body = h("div.panel.table-panel");
		this.bar = h("div.selection-bar", { role: "region", label: "Selection", hidden: true });
		this.element = h("div.scroll", pageHead("Conflicts", this.tally),
			h("p.lead", "Writes that lost to concurrent ones. Neither had seen the other."),
			h("div.toolbar", this.search, this.select), this.body, this.bar);
		this.committed = throttled(400, () => this.load().catch(() => undefined));
	}

	async load() {
		const answer = await this.studio.api.get("conflicts", { class: this.select.value });
		this.rows = answer.rows;
		this.isCut = answer.isCut;
		const numbers = new Set(this.rows.map((row) => row.number));
		for (const one of this.selection) if (!numbers.has(one)) this.selection.delete(one);
		this.show();
	}

	narrow() {
		replace(this.studio.href("conflicts", [], { class: this.select.value }));
		this.load().catch(complain);
	}

	get found() {
		const needle = this.search.value.trim().toLowerCase();
		return this.rows.filter((row) => [row.class, row.key, row.path, row.losing.value,
			row.winning.value, row.losing.name, row.winning.name, row.losing.author, row.winning.author]
			.some((text) => text?.toLowerCase().includes(needle)));
	}

	show() {
		const rows = this.found;
		fill(this.tally, this.isCut ? "The last 1,000 entries"
			: count(this.rows.length, "entry", "entries"),
		rows.length !== this.rows.length && `, ${number(rows.length)} found`);
		const canEdit = !this.studio.isReadOnly;
		const heads = ["Property", "Lost", "Holds", "Rule", ...canEdit ? [""] : []];
		fill(this.body, rows.length > 0
			? [canEdit && h("label.select-all", this.box(rows), "Select all"),
				table(heads, rows.map((row) => this.row(row, canEdit)))]
			: h("p.nothing", this.rows.length === 0 ? "The ledger is empty. No write was lost."
				: "No entry has this text."));
		this.showSelection();
	}

	box(rows, label) {
		return h("input", {
			type: "checkbox", label, checked: rows.every((row) => this.selection.has(row.number)),
			on: { change: (event) => {
				for (const { number: one } of rows) {
					if (event.target.checked) this.selection.add(one);
					else this.selection.delete(one);
				}
				this.show();
			} },
		});
	}

	row(row, canEdit) {
		const key = unquoted(row.key);
		const address = this.studio.href("object", [row.class, key], { why: propertyOf(row.path) });
		const cells = [
			h("div.ledger-key", canEdit && this.box([row], `Select entry ${row.number}`),
				h("div", h("a", { href: address }, key),
					h("div.sub", row.class, row.path && [".", row.path]))),
			this.side(row.losing, "lost"), this.side(row.winning, ""),
			h("span.faint", row.reason ?? `rule ${row.rule}`)];
		if (canEdit) {
			cells.push([button("Restore", () => this.act("restore", [row]), "small-button"),
				button("Dismiss", () => this.act("dismiss", [row]), "quiet small-button")]);
		}
		return cells;
	}

	side(side, look) {
		const time = side.time && milliseconds(side.time);
		return [h("div", { class: `side-value ${look}` }, side.value),
			h("div.sub", side.author ? author(this.studio, side.author, side.name)
				: "author not known any more",
			time && h("time", { title: moment(time, true) }, ` ${ago(time)}`))];
	}

	showSelection() {
		const { size } = this.selection;
		this.bar.hidden = size === 0 || this.studio.isReadOnly;
		const rows = () => this.rows.filter((row) => this.selection.has(row.number));
		fill(this.bar, h("strong", `${number(size)} selected`),
			button("Restore", () => this.act("restore", rows())),
			button("Dismiss", () => this.act("dismiss", rows())),
			button("Clear", () => this.escape(), "quiet"));
	}

	async act(action, rows) {
		const entries = count(rows.length, "entry", "entries");
		const words = {
			restore: [`Restore ${count(rows.length, "lost value")}?`, rows.length === 1
				? `${rows[0].path || "The object"} becomes ${rows[0].losing.value} on every replica.`
				: "Each property gets its lost value, on every replica.", "Restore", "restored"],
			dismiss: [`Dismiss ${entries}?`, "They leave the ledger of this replica. The objects stay " +
				"as they are. This cannot be undone.", "Dismiss", "dismissed"],
		}[action];
		if (!await confirm(words[0], [words[1]], words[2], action === "dismiss")) return;
		try {
			const answer = await this.studio.api.post(`conflicts/${action}`,
				{ numbers: rows.map((row) => row.number) });
			this.studio.edits.done(answer, `${entries} ${words[3]}.`);
			this.selection.clear();
			await this.load();
		} catch (error) {
			complain(error);
		}
	}

	escape() {
		if (!this.selection.size) return false;
		this.selection.clear();
		this.show();
		return true;
	}
}

/// The property that a path begins with: of `office.label` all, of `tags["x"]` the name.
function propertyOf(path) {
	return path.replace(/[[{].*$/, "") || undefined;
}
