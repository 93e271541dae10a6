// The log: changesets newest first, on a time axis and as a table; a click shows the operations in words.

import { h, fill, icon } from "./dom.js";
import { complain } from "./dialog.js";
import { ago, bytes, count, milliseconds, moment, number } from "./format.js";
import { pageHead } from "./frame.js";
import { drawLanes } from "./lanes.js";
import { throttled } from "./live.js";
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
    this.select = h("select", { "aria-label": "Author", on: { change: () => this.narrow() } });
    this.lanes = h("section", { class: "panel lanes-place", "aria-label": "Time axis" });
    this.list = h("tbody");
    this.older = h("button", { type: "button", on: { click: () => this.more().catch(complain) } },
      "Older changesets");
    this.detail = h("aside", { class: "panel detail", "aria-label": "Changeset", hidden: true });
    this.deferred = h("div");
    this.element = h("div", { class: "scroll" }, pageHead("Log", this.tally, this.select),
      this.deferred, this.lanes, h("div", { class: "log-body" },
        h("div", { class: "panel table-panel" }, h("table", { class: "list log" },
          h("thead", {}, h("tr", {}, ["Author", "Changeset", "Time"].map((name) =>
            h("th", { scope: "col" }, name)), ["Operations", "Size"].map((name) =>
            h("th", { scope: "col", class: "right" }, name)), h("th", { scope: "col" }, "Hash"))),
          this.list), h("div", { class: "table-foot" }, this.older)), this.detail));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.lanes);
    this.committed = throttled(300, () => this.newer().catch(() => undefined));
    this.list.addEventListener("keydown", (event) => this.walk(event));
  }

  close() {
    this.observer.disconnect();
  }

  ask(before, size = pageSize) {
    return this.studio.api.get("log", { before, count: size, author: this.author });
  }

  async load() {
    this.showAuthors();
    this.showDeferred();
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
    if (fresh.length === answer.rows.length && this.rows.length) {
      // More came than one answer holds: the page begins anew, without a gap.
      [this.rows, this.isLast] = [answer.rows, answer.isLast];
    } else this.rows = [...fresh, ...this.rows].slice(0, rowsKept);
    this.show(new Set(fresh.map((row) => row.position)));
  }

  narrow() {
    this.author = this.select.value;
    replace(this.studio.href("log", [], { author: this.author }));
    this.hide();
    this.load().catch(complain);
  }

  restated() {
    this.showAuthors();
    this.showDeferred();
  }

  showAuthors() {
    const authors = Object.keys(this.studio.status.held ?? this.studio.status.applied ?? {}).sort();
    if (this.select.children.length === authors.length + 1) return;
    fill(this.select, h("option", { value: "" }, "All authors"), authors.map((author) =>
      h("option", { value: author }, this.studio.authors.name(author))));
    this.select.value = this.author;
  }

  showDeferred() {
    const { deferred } = this.studio.status;
    fill(this.deferred, deferred && h("section", { class: "panel warn", "aria-label": "Deferred" },
      h("h2", {}, "Deferred"), h("ul", { class: "plain" }, deferred.map((one) => h("li", {},
        `${count(one.changesets, "changeset")} of ${this.studio.authors.name(one.author, one.name)} ` +
        (one.awaitsRest ? "wait for the rest of their transaction."
          : `are stored and not applied yet. Their time is up to ${Math.round(one.lastAhead / 1000)} s` +
            " ahead of this clock."))))));
  }

  show(fresh = new Set()) {
    const applied = Object.values(this.studio.status.applied ?? {}).reduce((a, b) => a + b, 0);
    fill(this.tally, this.rows.length ? `${count(this.rows.length, "changeset")} shown` : "",
      !this.author && this.rows.length > 0 && `, ${number(applied)} applied in all`);
    fill(this.list, this.rows.map((row) => this.row(row, fresh.has(row.position))));
    if (!this.rows.length) {
      fill(this.list, h("tr", {}, h("td", { colspan: 6, class: "nothing" }, "The log is empty.")));
    }
    this.older.hidden = this.isLast;
    this.draw();
  }

  row(row, isFresh) {
    const time = milliseconds(row.time);
    const isChosen = this.chosen?.position === row.position;
    return h("tr", {
      class: `pick ${isFresh ? "lit" : ""}`, "aria-selected": isChosen, tabindex: isChosen ||
        (!this.chosen && row === this.rows[0]) ? 0 : -1, "data-position": row.position,
      on: { click: () => this.choose(row.position) },
    },
    h("td", { "data-label": "Author", class: this.studio.authors.color(row.author) },
      h("span", { class: "swatch", "aria-hidden": "true" }),
      h("span", { title: row.author }, this.studio.authors.name(row.author, row.name))),
    h("td", { "data-label": "Changeset" }, number(row.sequence),
      row.continued && h("span", { class: "tag" }, "goes on"),
      row.beside && h("span", { class: "tag warn" }, "fork")),
    h("td", { "data-label": "Time" }, h("time", { title: `hybrid time ${row.time}` },
      moment(time)), h("span", { class: "sub inline" }, ` ${ago(time)}`)),
    h("td", { "data-label": "Operations", class: "right" }, number(row.operations)),
    h("td", { "data-label": "Size", class: "right" }, bytes(row.bytes)),
    h("td", { "data-label": "Hash", class: "mono" }, row.hash.slice(0, 12)));
  }

  draw() {
    const width = this.lanes.clientWidth - 24;
    if (width < 100) return;
    this.lanes.hidden = this.rows.length === 0;
    fill(this.lanes, drawLanes(this.studio, this.rows, width, this.chosen, this.dependencies,
      (row) => this.choose(row.position)));
  }

  walk(event) {
    const row = event.target.closest("tr");
    const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (next && row?.[next]) {
      row[next].focus();
      event.preventDefault();
    } else if (event.key === "Enter" && row) this.choose(Number(row.dataset.position));
  }

  key(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return false;
    this.list.querySelector("[tabindex='0']")?.focus();
    return true;
  }

  async choose(position) {
    this.chosen = this.rows.find((row) => row.position === position) ?? { position };
    replace(this.studio.href("log", [], { author: this.author, at: position }));
    for (const row of this.list.children) {
      row.setAttribute("aria-selected", Number(row.dataset.position) === position);
    }
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

  showDetail({ row, operations, isCut, dependencies }) {
    const time = milliseconds(row.time);
    this.detail.hidden = false;
    fill(this.detail, h("header", { class: "panel-head" }, h("h2", {}, "Changeset ",
      number(row.sequence)), h("button", { type: "button", class: "quiet square",
      "aria-label": "Close", on: { click: () => this.hide() } }, icon("close"))),
    h("dl", { class: "facts" }, fact("Author", this.studio.authors.name(row.author, row.name)),
      fact("Author id", h("span", { class: "mono small" }, row.author)),
      fact("Time", moment(time, true)), fact("Hybrid time", row.time),
      fact("Size", bytes(row.bytes)), fact("Position", number(row.position)),
      fact("Hash", h("span", { class: "mono small" }, row.hash)),
      fact("Depends on", dependencies.length === 0 ? "nothing of others"
        : dependencies.map((one) => h("div", {}, this.studio.authors.name(one.author),
          ` ${number(one.sequence)}`)))),
    h("h3", {}, count(row.operations, "operation")),
    h("ol", { class: "operations" }, operations.map((text) => h("li", {}, text))),
    isCut && h("p", { class: "faint" }, "These are the first 1,000."));
  }

  hide() {
    this.chosen = undefined;
    this.dependencies = [];
    this.detail.hidden = true;
    for (const row of this.list.children) row.setAttribute("aria-selected", false);
    replace(this.studio.href("log", [], { author: this.author }));
    this.draw();
  }

  escape() {
    if (this.detail.hidden) return false;
    this.hide();
    return true;
  }
}

function fact(name, content) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, content));
}
