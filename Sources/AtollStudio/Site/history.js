// Why a property holds what it holds: every write in the log, and what became of it.

import { h, fill, button, iconButton } from "./dom.js";
import { confirm } from "./dialog.js";
import { ago, milliseconds, moment } from "./format.js";
import { author } from "./parts.js";

export class HistoryPanel {
	constructor(studio, className, key, left) {
		Object.assign(this, { studio, className, key, left });
		this.element = h("section.panel.history", { label: "History", hidden: true });
	}

	hide() {
		this.path = undefined;
		this.element.hidden = true;
		this.left();
	}

	async show(path) {
		const isNew = this.path !== path;
		this.path = path;
		this.element.hidden = false;
		if (isNew) this.fill(h("p.faint", "Reading the log"));
		try {
			const question = { class: this.className, key: this.key, property: path };
			const answer = await this.studio.api.get("why", question);
			if (this.path === path) this.fill(this.report(answer));
		} catch (error) {
			if (this.path === path) this.fill(h("p.faint", error.message));
		}
		if (isNew) this.element.scrollIntoView({ block: "nearest" });
	}

	fill(...content) {
		fill(this.element, h("header.panel-head", h("h2", "Why ", h("code", this.path)),
			iconButton("close", "Close the history", () => this.hide())), content);
	}

	report({ value, holder, writes, isCut, conflicts }) {
		return [
			h("p", "It holds ", h("strong", value ?? "nothing"), "."),
			holder && h("p.faint", "Written by ", author(this.studio, holder.by.author, holder.by.name),
				` at ${moment(milliseconds(holder.time))}. The log has this write no more.`),
			h("ol.timeline", [...writes].reverse().map((one) => this.write(one))),
			isCut && h("p.faint", "There are earlier writes. These are the last."),
			conflicts.length > 0 && [h("h3", "In the ledger"), h("ul.plain", conflicts.map((one) =>
				h("li.ledger-line", h("span", h("s", one.losing.value), ` lost to ${one.winning.value}`),
					!this.studio.isReadOnly &&
						button("Restore", () => this.restore(one), "small-button"))))],
		];
	}

	write({ value, fate, rule, isDefault, by, time, sequence, peer, hash, isRestorable }) {
		const { authors } = this.studio;
		const at = milliseconds(time);
		return h(`li.write.${fate}.${authors.color(by.author)}`,
			h("div.write-value", h("span.write-text", value), h(`span.fate.${fate}`, fate),
				isRestorable && fate !== "holds" && !this.studio.isReadOnly &&
					button("Restore", () => this.again(hash), "small-button", { label: `Restore ${value}` })),
			h("div.sub", h("strong", { title: by.author }, authors.name(by.author, by.name)), ", ",
				h("time", { title: `${moment(at, true)}; hybrid time ${time}` },
					`${moment(at)} (${ago(at)})`)),
			rule && h("div.sub", `Lost by the rule: ${rule}.`),
			isDefault && h("div.sub", "It was the default of the class."),
			h("div.sub", `Changeset ${sequence}`,
				peer && `, came through ${authors.name(peer.author, peer.name)}`));
	}

	/// Writes an earlier value once more.
	async again(changeset) {
		const { className, key, path } = this;
		await this.studio.edits.write(
			[{ kind: "restore", class: className, key, path, changeset }], "Restored.");
		this.show(path);
	}

	async restore({ number, path, losing, winning }) {
		const isSure = await confirm("Restore the lost value?", [
			`${path} becomes ${losing.value} on every replica. It lost to ${winning.value}.`,
		], "Restore");
		if (!isSure) return;
		try {
			const answer = await this.studio.api.post("conflicts/restore", { numbers: [number] });
			this.studio.edits.done(answer, "Restored.");
			this.show(this.path);
		} catch (error) {
			this.fill(h("p.field-error", error.message));
		}
	}
}
