// The conflict ledger: writes that lost to concurrent ones; each can be restored or dismissed.

import { h, fill } from "./dom.js";
import { complain, confirm } from "./dialog.js";
import { ago, count, milliseconds, moment, number, unquoted } from "./format.js";
import { pageHead } from "./frame.js";
import { replace } from "./router.js";
import { throttled } from "./live.js";

export async function open(studio, route) {
  const page = new ConflictsPage(studio, route);
  await page.load();
  return page;
}

class ConflictsPage {
  constructor(studio, route) {
    Object.assign(this, { studio, title: "Conflicts", selection: new Set() });
    this.className = "";
    this.tally = h("span", { role: "status" });
    this.select = h("select", { "aria-label": "Class", on: { change: () => this.narrow() } },
      h("option", { value: "" }, "All classes"),
      studio.schema.roots.map((one) => h("option", { value: one.name }, one.name)));
    this.select.value = route.values.class ?? "";
    this.search = h("input", { type: "search", placeholder: "Find a key, path, value or author",
      "aria-label": "Find", on: { input: () => this.show() } });
    this.body = h("div", { class: "panel table-panel" });
    this.bar = h("div", { class: "selection-bar", role: "region", "aria-label": "Selection",
      hidden: true });
    this.element = h("div", { class: "scroll" }, pageHead("Conflicts", this.tally),
      h("p", { class: "lead" }, "Writes that lost to concurrent ones. Neither had seen the other."),
      h("div", { class: "toolbar" }, this.search, this.select), this.body, this.bar);
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
    if (!needle) return this.rows;
    return this.rows.filter((row) => [row.class, row.key, row.path, row.losing.value,
      row.winning.value, row.losing.name, row.winning.name, row.losing.author, row.winning.author]
      .some((text) => text?.toLowerCase().includes(needle)));
  }

  show() {
    const rows = this.found;
    fill(this.tally, this.isCut ? "The last 1,000 entries" : count(this.rows.length, "entry", "entries"),
      rows.length !== this.rows.length && `, ${number(rows.length)} found`);
    if (rows.length === 0) {
      fill(this.body, h("p", { class: "nothing" }, this.rows.length === 0
        ? "The ledger is empty. No write was lost." : "No entry has this text."));
    } else fill(this.body, this.table(rows));
    this.showSelection();
  }

  table(rows) {
    this.all = !this.studio.isReadOnly && h("input", {
      type: "checkbox", "aria-label": "Select all entries that are shown",
      on: { change: () => {
        for (const row of rows) {
          if (this.all.checked) this.selection.add(row.number);
          else this.selection.delete(row.number);
        }
        this.show();
      } },
    });
    if (this.all) this.all.checked = rows.every((row) => this.selection.has(row.number));
    return h("table", { class: "list ledger" }, h("thead", {}, h("tr", {},
      this.all && h("th", { scope: "col", class: "narrow" }, this.all),
      ["Property", "Lost", "Holds", "Rule"].map((name) => h("th", { scope: "col" }, name)),
      this.all && h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions")))),
    h("tbody", {}, rows.map((row) => this.row(row))));
  }

  row(row) {
    const key = unquoted(row.key);
    return h("tr", {},
      this.all && h("td", { class: "narrow" }, h("input", {
        type: "checkbox", checked: this.selection.has(row.number),
        "aria-label": `Select entry ${row.number}`,
        on: { change: (event) => {
          if (event.target.checked) this.selection.add(row.number);
          else this.selection.delete(row.number);
          this.showSelection();
        } },
      })),
      h("td", { "data-label": "Property" }, h("a", { href: this.studio.href("object",
        [row.class, key], { why: propertyOf(row.path) }) }, key),
      h("div", { class: "sub" }, row.class, row.path && [".", row.path])),
      h("td", { "data-label": "Lost" }, this.side(row.losing, true)),
      h("td", { "data-label": "Holds" }, this.side(row.winning)),
      h("td", { "data-label": "Rule", class: "rule" }, row.reason ?? `rule ${row.rule}`),
      this.all && h("td", { class: "row-tools" },
        h("button", { type: "button", class: "small-button",
          on: { click: () => this.act("restore", [row]) } }, "Restore"),
        h("button", { type: "button", class: "quiet small-button",
          on: { click: () => this.act("dismiss", [row]) } }, "Dismiss")));
  }

  side(side, isLost) {
    const time = side.time && milliseconds(side.time);
    return [h("div", { class: `side-value ${isLost ? "lost" : ""}` }, side.value),
      side.author ? h("div", { class: `sub ${this.studio.authors.color(side.author)}` },
        h("span", { class: "swatch", "aria-hidden": "true" }),
        h("span", { title: side.author }, this.studio.authors.name(side.author, side.name)),
        time && h("time", { title: moment(time, true) }, ` ${ago(time)}`))
        : h("div", { class: "sub" }, "author not known any more")];
  }

  showSelection() {
    const { size } = this.selection;
    this.bar.hidden = size === 0 || this.studio.isReadOnly;
    const rows = () => this.rows.filter((row) => this.selection.has(row.number));
    fill(this.bar, h("strong", {}, `${number(size)} selected`),
      h("button", { type: "button", on: { click: () => this.act("restore", rows()) } }, "Restore"),
      h("button", { type: "button", on: { click: () => this.act("dismiss", rows()) } }, "Dismiss"),
      h("button", { type: "button", class: "quiet",
        on: { click: () => { this.selection.clear(); this.show(); } } }, "Clear"));
  }

  async act(action, rows) {
    const words = {
      restore: [`Restore ${count(rows.length, "lost value")}?`, rows.length === 1
        ? `${rows[0].path || "The object"} becomes ${rows[0].losing.value} on every replica.`
        : "Each property gets its lost value, on every replica.", "Restore", "restored"],
      dismiss: [`Dismiss ${count(rows.length, "entry", "entries")}?`,
        "They leave the ledger of this replica. The objects stay as they are. " +
          "This cannot be undone.", "Dismiss", "dismissed"],
    }[action];
    if (!await confirm(words[0], [words[1]], words[2], action === "dismiss")) return;
    try {
      const answer = await this.studio.api.post(`conflicts/${action}`,
        { numbers: rows.map((row) => row.number) });
      this.studio.edits.done(answer, `${count(rows.length, "entry", "entries")} ${words[3]}.`);
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
