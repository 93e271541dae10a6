// Sizes, versions in use, conditions with their remedies; verify, compact and backup.

import { h, fill, button } from "./dom.js";
import { bytes, count, duration, number } from "./format.js";
import { conditions, facts, figure, pageHead } from "./parts.js";
import { throttled } from "./live.js";

export async function open(studio) {
	const page = new HealthPage(studio);
	await page.load();
	return page;
}

class HealthPage {
	constructor(studio) {
		Object.assign(this, { studio, title: "Health" });
		this.verdict = h("span");
		this.conditions = h("div");
		this.sizes = h("section.panel", { label: "Sizes" });
		this.figures = h("dl.figures");
		this.tasks = h("section.tasks", { label: "Tasks" });
		this.about = h("section.panel", { label: "Store" });
		this.element = h("div.scroll", pageHead("Health", this.verdict), this.conditions,
			this.figures, this.sizes, this.tasks, this.about);
		this.showTasks();
		this.committed = throttled(2000, () => this.load().catch(() => undefined));
		this.restated = this.committed;
	}

	async load() {
		const health = await this.studio.api.get("health");
		fill(this.verdict, h("span", { class: `badge ${health.health}` }, health.health));
		fill(this.conditions, health.conditions?.length ? conditions(health.conditions)
			: h("p.panel.all-well", "All is well. There is nothing to look at."));
		this.showSizes(health);
		this.showAbout();
	}

	showSizes(health) {
		fill(this.figures, figure("Store file", bytes(health.file)),
			figure("Write-ahead log", bytes(health.writeAheadLog)),
			figure("Log", bytes(health.log.bytes), count(health.log.changesets, "changeset")),
			figure("Conflicts", number(health.conflicts), "in the ledger"),
			figure("Versions in use", number(health.versionsInUse), "the newest included"));
		const free = Math.max(0, health.file - health.used);
		const objects = Math.max(0, health.file - free - health.log.bytes);
		const parts = [["objects", "Objects and indexes", objects], ["log", "Log", health.log.bytes],
			["free", "Free, given back by compact", free],
			["wal", "Write-ahead log", health.writeAheadLog]];
		const total = parts.reduce((sum, [, , size]) => sum + size, 0) || 1;
		fill(this.sizes, h("h2", "Where the bytes are"), h("div.size-bar", { "aria-hidden": "true" },
			parts.map(([kind, , size]) =>
				h(`span.size-${kind}`, { vars: { "flex-grow": String(size / total) } }))),
		h("ul.legend", parts.map(([kind, name, size]) => h("li",
			h(`span.swatch.size-${kind}`), `${name}: ${bytes(size)}`))));
	}

	showAbout() {
		const { status, session, store } = this.studio;
		const found = session.stores.find((one) => one.number === store);
		const pairs = [["Path", found?.path], ["Store id", status.store], ["Replica", status.replica],
			["Name", status.name ?? "none"], ["Served by", status.servedBy
				? `${status.servedBy.agent}, process ${status.servedBy.processID}` : "nobody"],
			["Studio", session.version]];
		fill(this.about, h("h2", "This store"), facts(pairs));
	}

	showTasks() {
		const { isReadOnly } = this.studio;
		const path = h("input", { type: "text", label: "Path of the backup", spellcheck: "false",
			placeholder: "/path/of/the/backup.atoll" });
		fill(this.tasks,
			this.task("verify", "Verify",
				"Checks the file, its log, and that the objects follow from it.",
				(answer) => answer.findings?.length
					? h("ul", answer.findings.map((text) => h("li.field-error", text)))
					: `Sound: ${count(answer.objects ?? 0, "object")}, ` +
						`${count(answer.changesets ?? 0, "changeset")}.`),
			!isReadOnly && this.task("compact", "Compact",
				"Gives back unused space. Others can work meanwhile.",
				({ before, after }) => `Done: ${bytes(before)} became ${bytes(after)}.`),
			!isReadOnly && this.task("backup", "Back up", "Copies the store into a new file.",
				() => "Done.", path, () => {
					if (path.value.trim()) return { path: path.value.trim() };
					throw new Error("Write the path of a file that does not exist yet.");
				}));
	}

	task(name, title, sentence, show, field, body = () => ({})) {
		const result = h("div.task-result", { role: "status" });
		const run = async () => {
			const start = performance.now();
			const spent = () => duration(performance.now() - start);
			const tick = () => fill(result, `Working, ${spent()}`);
			const timer = setInterval(tick, 500);
			control.disabled = true;
			try {
				const given = body();
				tick();
				const answer = await this.studio.api.post(name, given);
				fill(result, h("span.done", show(answer)), " ", h("span.faint", spent()));
				this.committed();
			} catch (error) {
				fill(result, h("span.field-error", error.message));
			}
			clearInterval(timer);
			control.disabled = false;
		};
		const control = button(title, run);
		return h("div.panel.task", h("h2", title), h("p", sentence), field, control, result);
	}
}
