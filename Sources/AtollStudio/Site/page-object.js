// One object: all its values to read and edit in place, what links to it, and why each value is what it is.

import { h, fill, icon } from "./dom.js";
import { confirm } from "./dialog.js";
import { count, number } from "./format.js";
import { HistoryPanel } from "./history.js";
import { throttled } from "./live.js";
import { ValueEditor } from "./object-editor.js";
import { go, replace } from "./router.js";
import { literal, quoted, typeText } from "./schema.js";
import { member } from "./values.js";

export async function open(studio, route) {
  const [className, key = ""] = route.parts;
  if (!studio.schema.class(className)) {
    throw new Error(`The store has no class ${className}. Choose another on the left.`);
  }
  const page = new ObjectPage(studio, className, key);
  await page.load();
  if (route.values.why) page.explain(route.values.why);
  return page;
}

class ObjectPage {
  constructor(studio, className, key) {
    Object.assign(this, { studio, className, key, shownTexts: new Map() });
    this.title = `${className} ${key}`;
    this.properties = studio.schema.class(className).properties;
    this.name = h("span", { class: "object-name" });
    this.values = h("div", { class: "props" });
    this.backlinks = h("section", { class: "panel backlinks", "aria-label": "Backlinks" });
    this.history = new HistoryPanel(studio, className, key, () => this.leaveHistory());
    this.notice = h("div", { class: "notice", role: "status", hidden: true });
    this.remove = h("button", { type: "button", class: "danger-text",
      on: { click: () => this.delete() } }, icon("trash"), "Delete");
    this.element = h("div", { class: "object scroll" },
      h("header", { class: "page-head" },
        h("a", { class: "button quiet square", "aria-label": `Back to ${className}`,
          href: studio.href("objects", [className]),
          on: { click: (event) => this.back(event) } }, icon("back")),
        h("h1", {}, h("span", { class: "h1-class" }, className), " ",
          h("span", { class: "h1-key", title: key }, key === "" ? "empty string" : key)),
        h("div", { class: "page-aside" }, this.name),
        h("div", { class: "page-tools" }, !studio.isReadOnly && this.remove)),
      this.notice,
      h("div", { class: "object-body" }, h("section", { class: "panel", "aria-label": "Values" },
        this.values), h("div", { class: "object-side" }, this.history.element, this.backlinks)));
    this.reload = throttled(150, () => this.load(true).catch(() => undefined));
  }

  get isEditable() {
    return !this.studio.isReadOnly && !this.isGone;
  }

  async load(isAgain = false) {
    let answer;
    try {
      answer = await this.studio.api.getExactly("object", { class: this.className, key: this.key });
    } catch (error) {
      if (!isAgain || error.status !== 404) throw error;
      this.showGone();
      return;
    }
    this.isGone = false;
    this.notice.hidden = true;
    this.object = answer.object;
    this.showName();
    this.showValues(isAgain);
    this.showBacklinks(answer.backlinks);
  }

  showGone() {
    this.isGone = true;
    this.notice.hidden = false;
    this.remove.disabled = true;
    fill(this.notice, "This object was deleted. The values below are the last that were seen.");
  }

  showName() {
    const naming = this.properties.find((one) => /^(name|title|label)$/i.test(one.name));
    const text = naming && member(this.object, naming, true);
    fill(this.name, typeof text === "string" ? text : "");
  }

  // Values.

  showValues(isAgain) {
    // A field that somebody types in stays as it is.
    if (this.editing) return;
    const focused = document.activeElement?.closest?.(".prop")?.dataset.path;
    const rows = this.rowsOf(this.properties, this.object, [], true);
    fill(this.values, rows);
    for (const row of this.values.querySelectorAll(".prop")) {
      const { path } = row.dataset;
      const text = row.querySelector(":scope > .prop-value")?.textContent;
      if (isAgain && this.shownTexts.has(path) && this.shownTexts.get(path) !== text) {
        row.classList.add("lit");
      }
      this.shownTexts.set(path, text);
      if (path === focused) row.querySelector("button")?.focus();
    }
  }

  rowsOf(properties, json, path, isRoot = false) {
    return properties.map((property) =>
      this.row(property, member(json ?? {}, property, isRoot), [...path, property.name]));
  }

  row(property, json, path) {
    const isNested = property.type === "embedded object" && !property.collection;
    const editor = new ValueEditor(this, property, json, path);
    const isThere = json !== undefined && json !== null;
    return h("div", { class: `prop ${isNested ? "nested" : ""}`, "data-path": path.join(".") },
      h("div", { class: "prop-name" }, h("span", { class: "prop-label" }, property.name),
        h("span", { class: "type" }, typeText(property))),
      h("div", { class: "prop-value" }, isNested && isThere
        ? this.rowsOf(this.studio.schema.properties(property.target), json, path)
        : editor.element),
      h("div", { class: "prop-tools" }, isNested && this.isEditable &&
        this.presenceButton(property, isThere, path), editor.tool, this.whyButton(path)));
  }

  presenceButton(property, isThere, path) {
    const text = isThere ? "Set nil" : "Make";
    return h("button", {
      type: "button", class: "quiet small-button", "aria-label": `${text}: ${property.name}`,
      on: { click: () => this.write([this.setting(path, isThere ? null : {})]) },
    }, text);
  }

  whyButton(path) {
    const name = path.join(".");
    return h("button", {
      type: "button", class: "quiet square why", "aria-label": `History of ${name}`,
      title: "Why is it this? Who wrote it, and when", on: { click: () => this.explain(name) },
    }, icon("history"));
  }

  /// An edit that sets a property, in the embedded object that it is in.
  setting(path, json) {
    const edit = { kind: "set", class: this.className, key: this.key,
      values: { [path.at(-1)]: json } };
    if (path.length > 1) edit.path = path.slice(0, -1).join(".");
    return edit;
  }

  /// An edit of what is in a property.
  change(kind, path, rest) {
    return { kind, class: this.className, key: this.key, path: path.join("."), ...rest };
  }

  async write(edits, options) {
    const isDone = await this.studio.edits.write(edits, "Written.", options);
    if (isDone) {
      this.editing = undefined;
      await this.load(true).catch(() => undefined);
      if (this.history.path) this.history.show(this.history.path);
    }
    return isDone;
  }

  async delete() {
    const isSure = await confirm(`Delete ${this.className} ${this.key}?`, [
      "It is deleted on every replica. Links to it become nil. You can undo it afterwards.",
    ], "Delete", true);
    if (!isSure) return;
    const isDone = await this.studio.edits.write(
      [{ kind: "delete", class: this.className, key: this.key }], `${this.key} deleted.`);
    if (isDone) go(this.studio.href("objects", [this.className]));
  }

  // What stands beside the values.

  explain(path) {
    replace(this.studio.href("object", [this.className, this.key], { why: path }));
    for (const row of this.values.querySelectorAll(".prop")) {
      row.classList.toggle("explained", row.dataset.path === path);
    }
    this.history.show(path);
  }

  leaveHistory() {
    replace(this.studio.href("object", [this.className, this.key]));
    this.values.querySelector(".explained")?.classList.remove("explained");
  }

  showBacklinks(backlinks) {
    fill(this.backlinks, h("h2", {}, "Backlinks"),
      backlinks.length === 0 ? h("p", { class: "faint" }, `No property links to ${this.className}.`)
        : h("ul", { class: "plain" }, backlinks.map((one) => h("li", {}, one.count === 0
          ? h("span", { class: "faint" }, `${one.class}.${one.property}`)
          : h("a", { href: this.backlinkAddress(one) }, `${one.class}.${one.property}`),
        h("span", { class: "tally", title: count(one.count, "object") }, number(one.count))))));
  }

  backlinkAddress({ class: className, property }) {
    const found = this.studio.schema.property(className, property);
    const { key } = this.studio.schema.class(this.className);
    const condition = key ? `${property}.${key.name} == ${literal(key.type, this.key)}`
      : `${property} == obj(${quoted(this.className)}, ${quoted(this.key)})`;
    const where = found?.collection ? `ANY ${condition}` : condition;
    return this.studio.href("objects", [className], { where });
  }

  // What the router and the live events call.

  update(route) {
    return route.parts[0] === this.className && route.parts[1] === this.key;
  }

  committed() {
    this.reload();
  }

  escape() {
    if (this.editing) {
      this.editing = undefined;
      this.showValues();
      return true;
    }
    if (this.history.path) {
      this.history.hide();
      return true;
    }
    return false;
  }

  enter() {
    this.escape();
  }

  back(event) {
    if (history.length < 2) return;
    event.preventDefault();
    history.back();
  }
}
