// Why a property holds what it holds: every write that the log has, and what became of it.

import { h, fill, icon } from "./dom.js";
import { ago, milliseconds, moment } from "./format.js";
import { confirm } from "./dialog.js";

const fates = { holds: "holds", overwritten: "overwritten", lost: "lost" };

export class HistoryPanel {
  constructor(studio, className, key, left) {
    Object.assign(this, { studio, className, key, left });
    this.element = h("section", { class: "panel history", "aria-label": "History", hidden: true });
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
    if (isNew) fill(this.element, this.head(path), h("p", { class: "faint" }, "Reading the log"));
    try {
      const answer = await this.studio.api.get("why",
        { class: this.className, key: this.key, property: path });
      if (this.path !== path) return;
      fill(this.element, this.head(path), this.report(answer));
    } catch (error) {
      if (this.path === path) {
        fill(this.element, this.head(path), h("p", { class: "faint" }, error.message));
      }
    }
    if (isNew && matchMedia("(max-width: 900px)").matches) {
      this.element.scrollIntoView({ block: "start" });
    }
  }

  head(path) {
    return h("header", { class: "panel-head" }, h("h2", {}, "Why ", h("code", {}, path)),
      h("button", { type: "button", class: "quiet square", "aria-label": "Close the history",
        on: { click: () => this.hide() } }, icon("close")));
  }

  report(answer) {
    const writes = [...answer.writes].reverse();
    return [
      h("p", { class: "history-now" }, "It holds ", h("strong", {}, answer.value ?? "nothing"), "."),
      answer.holder && h("p", { class: "faint" }, `Written by ${this.name(answer.holder.by)} at ` +
        `${moment(milliseconds(answer.holder.time))}. The log has this write no more.`),
      h("ol", { class: "timeline" }, writes.map((one) => this.write(one))),
      answer.isCut && h("p", { class: "faint" }, "There are earlier writes. These are the last."),
      answer.conflicts.length > 0 && [h("h3", {}, "In the ledger"),
        h("ul", { class: "plain" }, answer.conflicts.map((one) => this.conflict(one)))],
    ];
  }

  name(by) {
    return this.studio.authors.name(by.author, by.name);
  }

  write(one) {
    const time = milliseconds(one.time);
    return h("li", { class: `write ${one.fate} ${this.studio.authors.color(one.by.author)}` },
      h("div", { class: "write-value" }, h("span", { class: "write-text" }, one.value),
        h("span", { class: `fate ${one.fate}` }, fates[one.fate] ?? one.fate)),
      h("div", { class: "write-by" }, h("span", { class: "swatch", "aria-hidden": "true" }),
        h("strong", { title: one.by.author }, this.name(one.by)), ", ",
        h("time", { title: `${moment(time, true)}; hybrid time ${one.time}` },
          `${moment(time)} (${ago(time)})`)),
      one.rule && h("div", { class: "write-note" }, `Lost by the rule: ${one.rule}.`),
      one.isDefault && h("div", { class: "write-note" }, "It was the default of the class."),
      h("div", { class: "write-note" }, `Changeset ${one.sequence}`,
        one.peer && `, came through ${this.name(one.peer)}`));
  }

  conflict(one) {
    return h("li", { class: "ledger-line" }, h("span", {}, h("s", {}, one.losing.value),
      ` lost to ${one.winning.value}`), !this.studio.isReadOnly && h("button", {
      type: "button", class: "small-button", on: { click: () => this.restore(one) },
    }, "Restore"));
  }

  async restore(one) {
    const isSure = await confirm("Restore the lost value?", [
      `${one.path} becomes ${one.losing.value} on every replica. It is ${one.winning.value} now.`,
    ], "Restore");
    if (!isSure) return;
    try {
      const answer = await this.studio.api.post("conflicts/restore", { numbers: [one.number] });
      this.studio.edits.done(answer, "Restored.");
      this.show(this.path);
    } catch (error) {
      fill(this.element, this.head(this.path), h("p", { class: "field-error" }, error.message));
    }
  }
}
