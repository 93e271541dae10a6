// The log: changesets on a time axis and as a table, with their operations.

import { h, fill, button, iconButton } from "./dom.js";
import { complain } from "./dialog.js";
import { ago, bytes, count, milliseconds, moment, number } from "./format.js";
import { drawLanes } from "./lanes.js";
import { throttled } from "./live.js";
import { author, deferredPanel, facts, pageHead, table } from "./parts.js";
import { replace } from "./router.js";

const pageSize = 200;
const rowsKept = 2000;

export async function open(studio, route) {
	const page = new LogPage(studio, route.values);
	await page.load();
	if (route.values.at !== undefined) page.choose(Number(route.values.at));
	return page;
}

class LogPage {
	constructor(studio, values) {
		Object.assign(this, { studio, title: "Log", rows: [], dependencies: [] });
		this.author = values.author ?? "";
		this.tally = h("span", { role: "status" });
		this.select = h("select", { label: "Author", on: { change: () => this.narrow() } });
		this.lanes = h("section.panel.lanes-place", { label: "Time axis" });
		this.list = h("div", { on: { keydown: (event) => this.walk(event) } });
		this.older = button("Older changesets", () => this.more().catch(complain));
		this.detail = h("aside.panel.detail", { label: "Changeset", hidden: true });
		this.deferred = h("div");
		this.element = h("div.scroll", pageHead("Log", this.tally, this.select), this.deferred,
			this.lanes, h("div.log-body", h("div.panel.table-panel", this.list,
				h("div.table-foot", this.older)), this.detail));
		this.observer = new ResizeObserver(() => this.draw());
		this.observer.observe(this.lanes);
		this.committed = throttled(300, () => this.newer().catch(() => undefined));
	}

	close() {
		this.observer.disconnect();
	}

	ask(before) {
		return this.studio.api.get("log", { before, count: pageSize, author: this.author });
	}

	async load() {
		this.restated();
		const answer = await this.ask();
		this.rows = answer.rows;
		this.isLast = answer.isLast;
		this.show();
	}

	async more() {
		const answer = await this.ask(this.rows.at(-1)?.position);
		this.rows.push(...answer.rows);
		this.isLast = answer.isLast;
		this.show();
	}

	async newer() {
		const answer = await this.ask();
		const newest = this.rows[0]?.position ?? -1;
		const fresh = answer.rows.filter((row) => row.position > newest);
		if (!fresh.length) return;
		if (fresh.length === answer.rows.length) {
			// More may have come than one answer holds: begin anew, without a gap.
			[this.rows, this.isLast] = [answer.rows, answer.isLast];
		} else this.rows = [...fresh, ...this.rows].slice(0, rowsKept);
		this.show(new Set(fresh));
	}

	narrow() {
		this.author = this.select.value;
		this.hide();
		this.load().catch(complain);
	}

	restated() {
		const { status, authors } = this.studio;
		fill(this.deferred, deferredPanel(this.studio));
		const known = Object.keys(status.stored ?? status.applied ?? {}).sort();
		if (this.select.children.length === known.length + 1) return;
		fill(this.select, h("option", { value: "" }, "All authors"),
			known.map((one) => h("option", { value: one }, authors.name(one))));
		this.select.value = this.author;
	}

	show(fresh = new Set()) {
		fill(this.tally, this.rows.length > 0 && count(this.rows.length, "changeset"),
			this.rows.length > 0 && (this.isLast ? ", all that the log has" : ", the newest"));
		fill(this.list, this.rows.length === 0 ? h("p.nothing", "The log is empty.")
			: table(["Author", ">Changeset", "Time", ">Operations", ">Size", "Hash"],
				this.rows.map((row, index) => this.row(row, index, fresh.has(row))), ".log"));
		this.older.hidden = this.isLast;
		this.draw();
	}

	row(row, index, isFresh) {
		const time = milliseconds(row.time);
		const cells = [author(this.studio, row.author, row.name),
			[row.continued && h("span.tag", "goes on"), row.beside && h("span.tag.warn", "fork"),
				number(row.sequence)],
			h("time", { title: `${ago(time)}; hybrid time ${row.time}` }, moment(time)),
			number(row.operations), bytes(row.bytes), h("span.mono.faint", row.hash.slice(0, 12))];
		cells.properties = {
			class: `pick ${isFresh ? "lit" : ""}`, "data-position": row.position,
			"aria-selected": String(this.chosen?.position === row.position), tabindex: index ? -1 : 0,
			on: { click: () => this.choose(row.position) },
		};
		return cells;
	}

	get elements() {
		return this.list.querySelectorAll("tbody tr");
	}

	draw() {
		const width = this.lanes.clientWidth - 24;
		this.lanes.hidden = this.rows.length === 0;
		if (width < 100 || this.lanes.hidden) return;
		fill(this.lanes, drawLanes(this.studio, this.rows, width, this.chosen, this.dependencies,
			(row) => this.choose(row.position)));
	}

	walk(event) {
		const row = event.target.closest("tbody tr");
		const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
		if (next && row?.[next]) {
			row[next].focus();
			event.preventDefault();
		} else if (event.key === "Enter" && row) this.choose(Number(row.dataset.position));
	}

	pressed(event) {
		if (!event.key.startsWith("Arrow")) return false;
		this.elements[0]?.focus();
		return true;
	}

	async choose(position) {
		this.mark(this.rows.find((row) => row.position === position) ?? { position });
		try {
			const answer = await this.studio.api.get("changeset", { position });
			if (this.chosen?.position !== position) return;
			this.dependencies = answer.dependencies;
			this.showDetail(answer);
		} catch (error) {
			complain(error);
		}
		this.draw();
	}

	mark(chosen) {
		this.chosen = chosen;
		this.dependencies = [];
		const at = chosen?.position;
		replace(this.studio.href("log", [], { author: this.author, at }));
		for (const row of this.elements) {
			row.setAttribute("aria-selected", Number(row.dataset.position) === at);
		}
	}

	showDetail({ row, operations, isCut, dependencies }) {
		this.detail.hidden = false;
		fill(this.detail, h("header.panel-head", h("h2", `Changeset ${number(row.sequence)}`),
			iconButton("close", "Close", () => this.hide())),
		facts([["Author", author(this.studio, row.author, row.name)],
			["Author id", h("span.mono", row.author)],
			["Time", moment(milliseconds(row.time), true)], ["Hybrid time", row.time],
			["Size", bytes(row.bytes)], ["Position", number(row.position)],
			["Hash", h("span.mono", row.hash)],
			["Depends on", dependencies.length === 0 ? "nothing of others" : dependencies.map((one) =>
				h("div", author(this.studio, one.author), ` ${number(one.sequence)}`))]]),
		h("h3", count(row.operations, "operation")),
		h("ol.operations", operations.map((text) => h("li", text))),
		isCut && h("p.faint", "These are the first 1,000."));
	}

	hide() {
		this.detail.hidden = true;
		this.mark(undefined);
		this.draw();
	}

	escape() {
		if (this.detail.hidden) return false;
		this.hide();
		return true;
	}
}
