// A predicate beside its SQL, the plan of SQLite, and how long it took.

import { h, fill } from "./dom.js";
import { cell } from "./cells.js";
import { FilterField } from "./filter-field.js";
import { duration, number } from "./format.js";
import { figure, pageHead, table } from "./parts.js";
import { replace } from "./router.js";

const rowsShown = 50;

export async function open(studio, route) {
	const page = new QueryPage(studio, route);
	await page.run(page.filter.text, true);
	return page;
}

class QueryPage {
	constructor(studio, route) {
		Object.assign(this, { studio, title: "Query" });
		const roots = studio.schema.roots.map((one) => one.name);
		this.className = roots.includes(route.parts[0]) ? route.parts[0]
			: roots.find((name) => !name.startsWith("atoll.")) ?? roots[0];
		this.select = h("select", { label: "Class", on: { change: () => {
			this.className = this.select.value;
			this.run(this.filter.text, true).then((error) => this.filter.show(error));
		} } }, roots.map((name) => h("option", { value: name }, name)));
		this.select.value = this.className ?? "";
		this.filter = new FilterField({
			schema: studio.schema, className: () => this.className, label: "Predicate",
			placeholder: "Predicate, such as  name BEGINSWITH \"A\" SORT(name ASC)",
			apply: (text, isFinal) => this.run(text, isFinal),
		});
		this.filter.set(route.values.where ?? "");
		this.sql = h("pre.code", { tabindex: 0 });
		this.plan = h("ol.plan");
		this.figures = h("dl.figures");
		this.rows = h("div.sideways", { tabindex: 0, role: "region", label: "Rows" });
		this.element = h("div.scroll", pageHead("Query"),
			h("div.toolbar", this.select, this.filter.element),
			this.figures, h("div.two",
				h("section.panel", h("h2", "SQL"), this.sql),
				h("section.panel", h("h2", "Plan"), this.plan)),
			h("section.panel.table-panel", h("h2", "First rows"), this.rows));
	}

	async run(text, isFinal) {
		if (!this.className) return undefined;
		const where = text || undefined;
		const asked = `${this.className} ${where}`;
		if (!isFinal && asked === this.asked) return undefined;
		const question = { class: this.className, where };
		try {
			const [report, page] = await Promise.all([this.studio.api.get("query", question),
				this.studio.api.get("objects", { ...question, count: rowsShown })]);
			this.asked = asked;
			replace(this.studio.href("query", [this.className], { where }));
			this.show(report, page);
		} catch (error) {
			return error;
		}
		return undefined;
	}

	show(report, page) {
		fill(this.figures, figure("Rows", number(report.count)),
			figure("Time", duration(report.milliseconds), "to find and read them all"),
			figure("Plan", usesIndex(report.plan) ? "uses an index" : "reads every row",
				"of the class that is asked"));
		fill(this.sql, report.sql.flatMap((line, place) => [place > 0 && "\n", painted(line)]));
		fill(this.plan, report.plan.map((line) => h("li", {
			class: /^\s*SCAN/.test(line) ? "scan" : /SEARCH/.test(line) ? "search" : "",
		}, line)));
		const columns = this.studio.schema.columns(this.className, page.columns);
		const link = ({ text }) =>
			h("a", { href: this.studio.href("object", [this.className, text]) }, text);
		fill(this.rows, page.rows.length === 0 ? h("p.nothing", "No rows.")
			: table(page.columns, page.rows.map((row) => row.map((one, place) => place === 0 ? link(one)
				: cell(one, columns[place].property, this.studio.store))), ".rows"));
	}
}

function usesIndex(plan) {
	return plan.some((line) => /^\s*(SEARCH t\b|SCAN t USING (COVERING )?INDEX)/.test(line));
}

function painted(line) {
	return line.split(/("[^"]*"|'[^']*'|\?\d+|\b[A-Z]{2,}\b)/).map((part, place) => {
		if (place % 2 === 0 || part.startsWith('"')) return part;
		return h(/^[A-Z]/.test(part) ? "span.t-keyword" : "span.t-string", part);
	});
}
