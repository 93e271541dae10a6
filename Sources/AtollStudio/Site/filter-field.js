// A field for a predicate: it colours the text, completes it, and shows an error under its place.

import { h, fill, uniqueID } from "./dom.js";
import { suggestions, tokens } from "./predicate.js";

const pause = 350;

export class FilterField {
  /// `options`: schema, className(), values(path), apply(text, isFinal), label, placeholder.
  constructor(options) {
    this.options = options;
    this.items = [];
    const [list, message] = [uniqueID(), uniqueID()];
    this.input = h("input", {
      class: "filter-input", type: "text", role: "combobox", autocomplete: "off",
      autocapitalize: "off", spellcheck: "false", "aria-label": options.label,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list,
      "aria-describedby": message, placeholder: options.placeholder,
      on: {
        input: () => this.changed(), keydown: (event) => this.key(event),
        scroll: () => this.follow(), blur: () => this.hide(),
        click: () => this.suggest(), focus: () => this.suggest(),
      },
    });
    this.mirror = h("div", { class: "filter-mirror", "aria-hidden": "true" });
    this.list = h("ul", { class: "completions", id: list, role: "listbox", hidden: true,
      "aria-label": "Completions" });
    this.message = h("p", { class: "filter-error", id: message, role: "status" });
    this.clear = h("button", {
      class: "filter-clear", type: "button", "aria-label": "Clear the filter", hidden: true,
      on: { click: () => this.set("", true) },
    }, "×");
    this.element = h("div", { class: "filter" },
      h("div", { class: "filter-box" }, this.mirror, this.input, this.clear, this.list),
      this.message);
  }

  get text() {
    return this.input.value.trim();
  }

  /// Puts a text in; `applies` also filters by it.
  set(text, applies = false) {
    this.input.value = text;
    this.error = undefined;
    this.paint();
    this.hide();
    if (applies) this.apply(true);
  }

  changed() {
    this.error = undefined;
    this.paint();
    this.suggest();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.apply(false), pause);
  }

  async apply(isFinal) {
    clearTimeout(this.timer);
    const text = this.text;
    const refusal = await this.options.apply(text, isFinal);
    if (text === this.text) this.show(refusal, isFinal);
  }

  /// Shows why a text was refused, or that it was not.
  show(refusal, isFinal = true) {
    this.error = refusal;
    // Somebody who still types at the end knows that there is more to come.
    const isAtEnd = refusal?.offset >= this.text.length || !refusal;
    if (refusal && !isFinal && isAtEnd && document.activeElement === this.input) {
      this.error = undefined;
    }
    this.paint();
  }

  paint() {
    const text = this.input.value;
    const lead = text.length - text.trimStart().length;
    const error = this.error;
    const from = error?.offset === undefined ? undefined : error.offset + lead;
    const to = from === undefined ? undefined : from + Math.max(error.length ?? 1, 1);
    const parts = tokens(text).map((token) => {
      const end = token.start + token.text.length;
      const isWrong = from !== undefined && token.start < to && end > from;
      return h("span", { class: `t-${token.kind}${isWrong ? " wrong" : ""}` }, token.text);
    });
    if (from !== undefined && from >= text.length) {
      parts.push(h("span", { class: "wrong" }, "  "));
    }
    fill(this.mirror, h("span", { class: "filter-text" }, parts));
    this.clear.hidden = text === "";
    this.input.setAttribute("aria-invalid", Boolean(error));
    fill(this.message, error?.message);
    this.message.classList.toggle("placed", from !== undefined);
    this.follow();
    this.placeMessage();
  }

  /// The sentence begins under the word that it is about, as far as there is room.
  placeMessage() {
    if (!this.error) return;
    const wrong = this.mirror.querySelector(".wrong");
    const box = this.element.getBoundingClientRect();
    const left = wrong ? wrong.getBoundingClientRect().left - box.left : 0;
    this.message.style.setProperty(
      "margin-left", `${Math.max(0, Math.min(left - 8, box.width - 420))}px`);
    this.message.style.setProperty("--arrow", `${Math.max(left - Math.max(0,
      Math.min(left - 8, box.width - 420)) + 2, 8)}px`);
  }

  follow() {
    this.mirror.firstChild?.style.setProperty(
      "transform", `translateX(${-this.input.scrollLeft}px)`);
  }

  suggest() {
    const caret = this.input.selectionStart ?? this.input.value.length;
    const found = suggestions(this.input.value, caret, this.options.schema,
      this.options.className(), this.options.values ?? (() => []));
    this.found = found;
    this.chosen = -1;
    if (!found.items.length || document.activeElement !== this.input) return this.hide();
    fill(this.list, found.items.map((item, index) => h("li", {
      role: "option", id: `${this.list.id}-${index}`, class: `completion c-${item.kind}`,
      "aria-selected": false,
      on: { pointerdown: (event) => { event.preventDefault(); this.accept(index); } },
    }, h("span", { class: "completion-text" }, item.text),
    h("span", { class: "completion-note" }, item.note))));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.placeList(found.start);
  }

  placeList(start) {
    const probe = h("span", { class: "filter-probe" }, this.input.value.slice(0, start));
    this.mirror.append(probe);
    const width = probe.getBoundingClientRect().width;
    probe.remove();
    const room = this.element.clientWidth - 300;
    this.list.style.setProperty(
      "left", `${Math.max(0, Math.min(width - this.input.scrollLeft, room))}px`);
  }

  hide() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  choose(index) {
    const count = this.found.items.length;
    this.chosen = (index + count) % count;
    [...this.list.children].forEach((item, place) => {
      item.setAttribute("aria-selected", place === this.chosen);
      if (place === this.chosen) {
        item.scrollIntoView({ block: "nearest" });
        this.input.setAttribute("aria-activedescendant", item.id);
      }
    });
  }

  accept(index) {
    const item = this.found.items[index];
    const text = this.input.value;
    const isOpen = item.text.endsWith("(");
    const rest = text.slice(this.found.end);
    const written = `${item.text}${isOpen || rest.startsWith(" ") ? "" : " "}`;
    this.input.value = text.slice(0, this.found.start) + written + rest;
    const caret = this.found.start + written.length;
    this.input.setSelectionRange(caret, caret);
    this.changed();
  }

  key(event) {
    const isShown = !this.list.hidden;
    if (event.key === "ArrowDown" && isShown) this.choose(this.chosen + 1);
    else if (event.key === "ArrowUp" && isShown) this.choose(this.chosen - 1);
    else if (event.key === "Tab" && isShown && !event.shiftKey && this.text) {
      this.accept(Math.max(this.chosen, 0));
    } else if (event.key === "Enter") {
      if (isShown && this.chosen >= 0) this.accept(this.chosen);
      else {
        this.hide();
        this.apply(true);
      }
    } else if (event.key === "Escape" && isShown) this.hide();
    else if (event.key === "ArrowDown") this.options.leave?.();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
