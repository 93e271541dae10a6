// The objects of a class: a table, a filter, a map, and edits of one or many.

import { h, fill, icon } from "./dom.js";
import { cell, widthFor } from "./cells.js";
import { complain, confirm, popover } from "./dialog.js";
import { FilterField } from "./filter-field.js";
import { count, duration, number } from "./format.js";
import { pageHead } from "./frame.js";
import { throttled } from "./live.js";
import { MapPanel } from "./map.js";
import { go, replace } from "./router.js";
import { Rows } from "./rows.js";
import { isNumeric, typeText } from "./schema.js";
import { Table } from "./table.js";
import { newObject, setMany } from "./object-forms.js";
import { showTree } from "./tree.js";

const mostSelected = 10_000;

export async function open(studio, route) {
  const first = studio.schema.roots.find((one) => !one.name.startsWith("atoll."))
    ?? studio.schema.roots[0];
  const className = route.parts[0] ?? first?.name;
  if (!className) return empty();
  if (!studio.schema.class(className)) {
    throw new Error(`The store has no class ${className}. Choose another on the left.`);
  }
  const page = new ObjectsPage(studio, className, route.values);
  await page.begin();
  return page;
}

function empty() {
  return {
    title: "Objects",
    element: h("div", { class: "nothing" }, h("h1", {}, "No classes yet"),
      h("p", {}, "An application declares classes when it opens the store. " +
        "So does atoll import with a schema.")),
  };
}

class ObjectsPage {
  constructor(studio, className, values) {
    this.studio = studio;
    this.className = className;
    this.title = className;
    this.selection = new Set();
    this.listing = listingOf(className, values);
    this.table = new Table(this, `Objects of ${className}`);
    this.tally = h("span", { class: "tally-line", role: "status" });
    this.filter = new FilterField({
      schema: studio.schema, className: () => this.className, label: `Filter ${className}`,
      placeholder: "Filter, such as  " + example(studio.schema, className),
      values: (path) => this.valuesInSight(path),
      apply: (text, isFinal) => this.applyFilter(text, isFinal),
      leave: () => this.table.enter(),
    });
    this.filter.set(values.where ?? "");
    this.bar = h("div", { class: "selection-bar", role: "region", "aria-label": "Selection",
      hidden: true });
    this.build(values);
    this.redraw = throttled(16, () => this.draw());
  }

  build(values) {
    const { studio } = this;
    const pairs = studio.schema.coordinates(this.className);
    this.mapPlace = h("div", { class: "map-place", hidden: true });
    this.mapButton = pairs.length > 0 && h("button", {
      type: "button", class: "quiet", "aria-pressed": "false", title: "Map (m)",
      on: { click: () => this.toggleMap() },
    }, icon("map"), h("span", { class: "wide-only" }, "Map"));
    this.exports = h("details", { class: "menu" },
      h("summary", { class: "button quiet", title: "Export what is shown" }, icon("download"),
        h("span", { class: "wide-only" }, "Export")), h("div", { class: "menu-items" }));
    this.element = h("div", { class: "objects" },
      pageHead(this.className, this.tally, this.mapButton, this.exports,
        !studio.isReadOnly && h("button", {
          type: "button", class: "primary", title: "New object (n)",
          on: { click: () => this.create() },
        }, icon("plus"), "New")),
      h("div", { class: "toolbar" }, this.filter.element),
      h("div", { class: "objects-body" }, h("div", { class: "grid-place" }, this.table.element,
        this.note = h("div", { class: "grid-note", hidden: true })), this.mapPlace),
      this.bar);
    this.pairs = pairs;
    if (values.map && this.mapButton) this.toggleMap(true);
  }

  async begin() {
    this.makeRows();
    const first = new Promise((resolve) => { this.came = resolve; });
    this.rows.row(0);
    this.rows.count();
    // A first page that is slow does not hold the frame back.
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 400))]);
  }

  makeRows() {
    this.rows = new Rows(this.studio.api, this.listing, () => this.arrived());
    this.rows.inSight = (from, to) => this.table.isInSight(from, to) || !this.rows.columns.length;
    this.columnsMade = undefined;
    this.showExports();
  }

  shown() {
    this.draw();
    if (matchMedia("(pointer: fine)").matches) this.table.enter();
  }

  close() {
    this.table.close();
    this.map?.close();
  }

  // What the router and the live events call.

  update(route) {
    const name = route.parts[0] ?? this.className;
    if (name !== this.className) return false;
    const listing = listingOf(name, route.values);
    if (JSON.stringify(listing) === JSON.stringify(this.listing)) return true;
    this.filter.set(route.values.where ?? "");
    this.relist(listing);
    return true;
  }

  committed() {
    this.rows.refresh();
    this.draw();
    this.map?.refresh();
  }

  key(event) {
    if (event.key === "n" && !this.studio.isReadOnly) this.create();
    else if (event.key === "m" && this.mapButton) this.toggleMap();
    else if (["ArrowDown", "ArrowUp", "j", "k"].includes(event.key)) this.table.enter();
    else return false;
    return true;
  }

  enter() {
    this.table.enter();
  }

  escape() {
    if (this.selection.size) this.clearSelection();
    else if (this.filter.text) this.filter.set("", true);
    else return false;
    return true;
  }

  // Rows.

  arrived() {
    this.came?.();
    if (this.rows.error) this.filter.show(this.rows.error);
    this.redraw();
  }

  draw() {
    const { rows, table } = this;
    if (rows.columns.length && !this.columnsMade) this.makeColumns();
    table.draw();
    const [first, last] = table.range;
    let isLit = false;
    for (let place = first; place < last; place += 1) {
      const changed = rows.differences(place);
      if (changed === "row") table.light(place, "row");
      else if (changed?.length) {
        table.light(place, changed.map((index) => index + this.offset));
      }
      isLit ||= Boolean(changed);
    }
    if (isLit) rows.settle();
    this.showTally();
  }

  showTally() {
    const { rows } = this;
    const { total } = rows;
    fill(this.tally, total === undefined ? "Counting" : count(total, "object"),
      total !== undefined && this.listing.where && ` in ${duration(rows.milliseconds ?? 0)}`);
    const isEmpty = total === 0;
    const error = rows.error && !this.columnsMade ? rows.error.message : undefined;
    this.note.hidden = !isEmpty && !error;
    if (error) fill(this.note, h("p", {}, error));
    else if (isEmpty) {
      fill(this.note, h("p", {}, this.listing.where ? "No object satisfies the filter."
        : `There are no objects of ${this.className}.`), this.listing.where && h("button", {
        type: "button", on: { click: () => this.filter.set("", true) },
      }, "Clear the filter"));
    }
  }

  relist(listing) {
    const columns = this.rows.columns;
    this.listing = listing;
    this.table.reset();
    this.makeRows();
    this.rows.columns = columns;
    this.rows.count();
    this.rows.row(0);
    this.map?.show(listing.where);
    this.draw();
  }

  address(listing) {
    const { where, sort, descending } = listing;
    return this.studio.href("objects", [this.className],
      { where, sort, descending: descending || undefined, map: this.map ? 1 : undefined });
  }

  async applyFilter(text, isFinal) {
    const where = text || undefined;
    if (where === this.listing.where) return isFinal ? this.rows.error : undefined;
    try {
      await this.studio.api.get("objects", { class: this.className, where, count: 1 });
    } catch (error) {
      return error;
    }
    if (text !== this.filter.text) return undefined;
    this.clearSelection();
    const listing = { ...this.listing, where };
    replace(this.address(listing));
    this.relist(listing);
    return undefined;
  }

  sortBy(path) {
    const { sort, descending } = this.listing;
    const isSame = sort === path;
    const listing = { ...this.listing, sort: path, descending: isSame && !descending };
    if (isSame && descending) [listing.sort, listing.descending] = [undefined, false];
    replace(this.address(listing));
    this.relist(listing);
  }

  valuesInSight(path) {
    const place = this.rows.columns.indexOf(path);
    if (place < 0) return [];
    const found = new Set();
    for (const row of this.rows.known()) {
      if (row[place].kind === "value" && row[place].text.length < 60) found.add(row[place].text);
      if (found.size > 400) break;
    }
    return [...found].sort((a, b) => a.localeCompare(b));
  }

  // What the table asks.

  get total() {
    return this.rows.total ?? (this.rows.error ? 0 : undefined);
  }

  get offset() {
    return this.studio.isReadOnly ? 0 : 1;
  }

  row(place) {
    return this.rows.row(place);
  }

  columns() {
    return this.columnsMade ?? [];
  }

  makeColumns() {
    const sample = [];
    for (const row of this.rows.known()) sample.push(row);
    const { sort, descending } = this.listing;
    const made = this.studio.schema.columns(this.className, this.rows.columns)
      .map((column, place) => {
        const { property } = column;
        const isSortable = !property?.collection &&
          !["embedded object", "any value", "identity", "link"].includes(property?.type);
        const isNumber = !property?.collection && isNumeric(property?.type);
        return {
          ...column, name: column.path, title: `${column.path}: ${typeText(property)}`,
          width: widthFor(column, sample.slice(0, 150), place), place,
          isFixed: column.isKey, isHeading: column.isKey,
          class: `${isNumber ? "right" : ""} ${column.isKey ? "fixed key" : ""}`,
          direction: sort === column.path ? (descending ? "descending" : "ascending") : "none",
          sort: isSortable ? () => this.sortBy(column.path) : undefined,
        };
      });
    if (!this.studio.isReadOnly) made.unshift(this.selectColumn());
    this.columnsMade = made;
  }

  selectColumn() {
    return {
      path: "", name: "", width: 36, isFixed: true, isSelector: true, class: "fixed selector",
      heading: () => {
        this.allBox = h("input", {
          type: "checkbox", "aria-label": "Select all that are listed",
          on: { change: () => this.selectAll(this.allBox.checked) },
        });
        return this.allBox;
      },
    };
  }

  cell(row, column, index, place) {
    if (column.isSelector) {
      return h("input", {
        type: "checkbox", tabindex: -1, "aria-label": `Select ${row[0].text}`,
        checked: this.selection.has(row[0].text),
        on: { click: (event) => { event.stopPropagation(); this.toggle(place, event); } },
      });
    }
    const one = row[column.place];
    if (column.isKey) {
      return h("a", {
        class: "key-link", tabindex: -1, title: one.text,
        href: this.studio.href("object", [this.className, keyOf(one)]),
      }, one.kind === "null" ? "nil" : one.text === "" ? "empty string" : one.text);
    }
    return cell(one, column.property, this.studio.store,
      (anchor) => this.peek(anchor, keyOf(row[0]), column.path));
  }

  isSelected(row) {
    return this.selection.has(keyOf(row[0]));
  }

  open(place) {
    const row = this.rows.row(place);
    if (row) go(this.studio.href("object", [this.className, keyOf(row[0])]));
  }

  /// Enter on a cell opens what is in it: a collection or the target of a link.
  enterCell(element) {
    const inner = element?.querySelector(".opener");
    inner?.click();
    return Boolean(inner);
  }

  async peek(anchor, key, path) {
    try {
      const answer = await this.studio.api.getExactly("object", { class: this.className, key });
      popover(anchor, path, h("div", { class: "popover-body" },
        showTree(this.studio, this.className, answer.object, path),
        h("p", {}, h("a", { href: this.studio.href("object", [this.className, key]) },
          "Open the object"))));
    } catch (error) {
      complain(error);
    }
  }

  // Selection.

  toggle(place, event) {
    if (this.studio.isReadOnly) return;
    const row = this.rows.row(place);
    if (!row) return;
    const isOn = !this.selection.has(keyOf(row[0]));
    const from = event.shiftKey && this.anchor !== undefined ? this.anchor : place;
    for (let at = Math.min(from, place); at <= Math.max(from, place); at += 1) {
      const one = this.rows.row(at);
      if (!one) continue;
      if (isOn || event.shiftKey) this.selection.add(keyOf(one[0]));
      else this.selection.delete(keyOf(one[0]));
    }
    this.anchor = place;
    this.showSelection();
  }

  clicked(place, event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(place, event);
    else this.anchor = place;
  }

  async selectAll(isOn) {
    this.selection.clear();
    const total = this.rows.total ?? 0;
    if (isOn && total > mostSelected) {
      complain(new Error(`At most ${number(mostSelected)} objects can be selected, and ` +
        `${number(total)} are listed. Filter first.`));
    } else if (isOn) {
      try {
        for (let from = 0; from < total; from += 1000) {
          const answer = await this.studio.api.get("objects",
            { ...this.listing, from, count: 1000 });
          for (const row of answer.rows) this.selection.add(keyOf(row[0]));
          if (answer.isLast) break;
        }
      } catch (error) {
        complain(error);
      }
    }
    this.showSelection();
  }

  clearSelection() {
    this.selection.clear();
    this.showSelection();
  }

  showSelection() {
    const { size } = this.selection;
    if (this.allBox) {
      this.allBox.checked = size > 0 && size === this.rows.total;
      this.allBox.indeterminate = size > 0 && size !== this.rows.total;
    }
    this.table.markAll();
    for (const row of this.table.rows.values()) {
      const box = row.element.querySelector(".selector input");
      if (box && row.data) box.checked = this.isSelected(row.data);
    }
    this.bar.hidden = size === 0;
    if (size === 0) return;
    fill(this.bar, h("strong", {}, `${number(size)} selected`),
      h("button", { type: "button", on: { click: () => this.setMany() } }, icon("edit"),
        "Set a property"),
      h("button", { type: "button", class: "danger-text", on: { click: () => this.deleteMany() } },
        icon("trash"), "Delete"),
      h("button", { type: "button", class: "quiet", on: { click: () => this.clearSelection() } },
        "Clear"));
  }

  async setMany() {
    const isDone = await setMany(this.studio, this.className, [...this.selection]);
    if (isDone) this.clearSelection();
  }

  async deleteMany() {
    const keys = [...this.selection];
    const isSure = await confirm(`Delete ${count(keys.length, "object")}?`, [
      "They are deleted on every replica. Links to them become nil.",
      "You can undo it afterwards.",
    ], "Delete", true);
    if (!isSure) return;
    const edits = keys.map((key) => ({ kind: "delete", class: this.className, key }));
    const isDone = await this.studio.edits.write(edits, `${count(keys.length, "object")} deleted.`);
    if (isDone) this.clearSelection();
  }

  async create() {
    const key = await newObject(this.studio, this.className);
    if (key !== undefined) go(this.studio.href("object", [this.className, key]));
  }

  // Export and map.

  showExports() {
    const { where } = this.listing;
    fill(this.exports.lastChild, [["csv", "CSV"], ["jsonl", "JSON lines"]].map(([format, name]) =>
      h("a", {
        href: this.studio.api.address("export", { class: this.className, where, format }),
        download: `${this.className}.${format}`,
        on: { click: () => { this.exports.open = false; } },
      }, name)));
  }

  toggleMap(isOpening = !this.map) {
    this.map?.close();
    this.map = undefined;
    this.mapPlace.hidden = !isOpening;
    this.mapButton.setAttribute("aria-pressed", isOpening);
    if (isOpening) {
      this.map = new MapPanel(this.studio, this.className, this.pairs, (area) => {
        this.filter.set(withArea(this.filter.text, this.area, area), true);
        this.area = area;
      });
      fill(this.mapPlace, this.map.element);
      this.map.show(this.listing.where);
    }
    replace(this.address(this.listing));
  }
}

function listingOf(className, values) {
  return {
    class: className, where: values.where || undefined, sort: values.sort || undefined,
    descending: values.descending === "true",
  };
}

/// A filter with another area in the place of the last one, or beside what was written.
function withArea(text, last, area) {
  const rest = last && text.endsWith(last)
    ? text.slice(0, -last.length).replace(/ AND $/, "").replace(/^\((.*)\)$/s, "$1") : text;
  return rest.trim() ? `(${rest.trim()}) AND ${area}` : area;
}

function keyOf(one) {
  return one.kind === "null" ? "nil" : one.text;
}

/// A predicate that fits the class, to show what can be written.
function example(schema, className) {
  const own = schema.properties(className).filter((one) => !one.collection);
  const text = own.find((one) => one.type === "String" && /name|title/i.test(one.name)) ??
    own.find((one) => one.type === "String");
  const amount = own.find((one) => isNumeric(one.type));
  const parts = [];
  if (text) parts.push(`${text.name} CONTAINS "a"`);
  if (amount) parts.push(`${amount.name} > 100`);
  return parts.join(" AND ") || "TRUEPREDICATE";
}
