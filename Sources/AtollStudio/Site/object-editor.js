// One value on an object's page: shown, and edited in place. Lists, sets and maps by their elements.

import { h, fill, icon } from "./dom.js";
import { scalar, valueTree } from "./tree.js";
import { valueField } from "./editor.js";
import { complain } from "./dialog.js";

const elementsShown = 100;

export class ValueEditor {
  constructor(page, property, json, path) {
    Object.assign(this, { page, property, json, path, studio: page.studio });
    this.element = h("div", { class: "value" });
    this.show();
  }

  get isEmbedded() {
    return this.property.type === "embedded object";
  }

  /// The property as one of its elements has it.
  get one() {
    return { ...this.property, collection: undefined };
  }

  /// The button beside the value.
  get tool() {
    if (!this.page.isEditable || this.property.collection || this.isEmbedded) return undefined;
    return h("button", {
      type: "button", class: "quiet square edit", "aria-label": `Edit ${this.path.join(".")}`,
      title: "Edit", on: { click: () => this.edit() },
    }, icon("edit"));
  }

  show() {
    const { collection } = this.property;
    if (collection && this.page.isEditable) fill(this.element, this.elements());
    else if (collection || this.isEmbedded) {
      fill(this.element, valueTree(this.studio, this.property, this.json));
    } else fill(this.element, this.plain(), this.steps());
  }

  plain() {
    const content = scalar(this.studio, this.property, this.json);
    if (!this.page.isEditable) return content;
    return h("div", {
      class: "editable", title: "Double-click to edit",
      on: { dblclick: (event) => !event.target.closest("a") && this.edit() },
    }, content);
  }

  /// Adds to a whole number and takes from it. Steps of several replicas add up.
  steps() {
    const isNumber = ["number", "bigint"].includes(typeof this.json);
    if (this.property.type !== "Int" || !isNumber || !this.page.isEditable) return undefined;
    const step = (by) => h("button", {
      type: "button", class: "quiet step", "aria-label": `${by > 0 ? "Add" : "Take"} 1`,
      title: "Steps of several replicas add up",
      on: { click: () => this.page.write([this.page.change("increment", this.path, { by })]) },
    }, by > 0 ? "+1" : "−1");
    return h("span", { class: "steps" }, step(-1), step(1));
  }

  edit() {
    this.open(this.element, this.one, this.json, (json) => [this.page.setting(this.path, json)]);
  }

  /// Puts a field in the place of what `place` shows. `edits` makes edits of what was typed.
  open(place, property, json, edits, options = {}) {
    this.page.editing = this;
    const field = valueField(this.studio, property, json,
      { label: this.path.join("."), isRequired: options.isRequired });
    const entry = options.asksEntry && h("input", {
      type: "text", "aria-label": "Key of the entry", placeholder: "key", class: "entry-key",
    });
    const message = h("p", { class: "field-error", role: "alert" });
    const close = () => { this.page.editing = undefined; this.page.showValues(); };
    const save = async (event) => {
      event?.preventDefault();
      try {
        const value = field.read();
        if (entry && entry.value === "") throw new Error("Write a key for the entry.");
        await this.page.write(edits(value, entry?.value), { throws: true });
      } catch (error) {
        fill(message, error.message);
      }
    };
    fill(place, h("form", { class: "inline-form", on: {
      submit: save,
      keydown: (event) => {
        if (event.key === "Escape") { event.stopPropagation(); close(); }
        const isArea = event.target.tagName === "TEXTAREA";
        if (event.key === "Enter" && isArea && !event.shiftKey) save(event);
      },
    } }, entry, field.element, h("button", { type: "submit", class: "primary" }, "Save"),
    h("button", { type: "button", class: "quiet", on: { click: close } }, "Cancel"), message));
    if (entry) entry.focus();
    else field.focus();
  }

  // Collections.

  elements() {
    const { collection } = this.property;
    const pairs = collection === "map" ? Object.entries(this.json ?? {})
      : (this.json ?? []).map((item, index) => [index, item]);
    const shown = pairs.slice(0, elementsShown);
    return [
      pairs.length > 0 && h("ol", { class: `elements ${collection}` },
        shown.map(([place, item]) => this.item(place, item, pairs.length)),
        pairs.length > shown.length &&
          h("li", { class: "faint" }, `and ${pairs.length - shown.length} more`)),
      this.adder(pairs.length),
    ];
  }

  item(place, json, total) {
    const { collection } = this.property;
    const text = collection === "map" ? place : collection === "list" ? String(place) : "•";
    const value = h("div", { class: "element-value" }, valueTree(this.studio, this.one, json));
    const canEdit = collection !== "set" && !(this.isEmbedded && collection === "map");
    const tools = h("div", { class: "element-tools" },
      collection === "list" && [this.mover(place, place - 1, total, "up"),
        this.mover(place, place + 1, total, "down")],
      canEdit && this.button("edit", `Edit element ${text}`, () => this.open(value, this.one, json,
        (now) => [collection === "map" ? this.change("put", { entry: place, value: now })
          : this.change("replace", { at: place, value: now })])),
      this.button("close", `Remove ${text}`, () => this.page.write([{
        list: () => this.change("remove", { at: place }),
        set: () => this.change("drop", { value: json }),
        map: () => this.change("take", { entry: place }),
      }[collection]()])));
    return h("li", { class: "element", tabindex: 0, on: {
      keydown: (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (collection !== "list" || !event.altKey || !by) return;
        event.preventDefault();
        this.move(place, place + by, total);
      },
    } }, h("span", { class: "element-place" }, text), value, tools);
  }

  change(kind, rest) {
    return this.page.change(kind, this.path, rest);
  }

  button(name, label, action) {
    return h("button", {
      type: "button", class: "quiet square", "aria-label": label, title: label,
      on: { click: action },
    }, icon(name));
  }

  mover(from, to, total, direction) {
    const button = this.button(direction, `Move element ${from} ${direction}`,
      () => this.move(from, to, total));
    button.disabled = to < 0 || to >= total;
    return button;
  }

  move(from, to, total) {
    if (to < 0 || to >= total) return;
    this.page.write([this.change("move", { at: from, to })], { isSilent: true }).catch(complain);
  }

  adder(total) {
    const { collection } = this.property;
    const place = h("div", { class: "adder" });
    const edits = (json, entry) => [{
      list: () => this.change("insert", { at: total, value: json }),
      set: () => this.change("add", { value: json }),
      map: () => this.change("put", { entry, value: json }),
    }[collection]()];
    fill(place, h("button", {
      type: "button", class: "quiet small-button", "aria-label": `Add to ${this.path.join(".")}`,
      on: { click: () => this.open(place, this.one, this.isEmbedded ? {} : undefined, edits,
        { asksEntry: collection === "map" }) },
    }, icon("plus"), "Add"));
    return place;
  }
}
