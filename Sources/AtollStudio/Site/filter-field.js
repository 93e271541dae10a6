// A field for a predicate: it colours the text, completes it, and shows errors.

import { h, fill, button, uniqueID } from "./dom.js";
import { suggestions, tokens } from "./predicate.js";

const pause = 350;
const messageWidth = 420;

export class FilterField {
	/// `options`: schema, className(), values(path), apply(text, isFinal), leave(), label and
	/// placeholder.
	constructor(options) {
		this.options = options;
		const [list, message] = [uniqueID(), uniqueID()];
		this.input = h("input.filter-input", {
			role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
			label: options.label, placeholder: options.placeholder, "aria-autocomplete": "list",
			"aria-expanded": "false", "aria-controls": list, "aria-describedby": message,
			on: {
				input: () => this.changed(true), keydown: (event) => this.key(event),
				scroll: () => this.follow(), blur: () => this.hide(),
				click: () => this.suggest(), focus: () => {
					this.isTyping = false;
					this.suggest();
				},
			},
		});
		this.mirror = h("div.filter-mirror", { "aria-hidden": "true" });
		this.list = h("ul.completions", { id: list, role: "listbox", label: "Completions",
			hidden: true });
		this.message = h("p.filter-error", { id: message, role: "status" });
		this.clear = button("×", () => this.set("", true), "filter-clear",
			{ label: "Clear the filter", hidden: true });
		this.element = h("div.filter",
			h("div.filter-box", this.mirror, this.input, this.clear, this.list), this.message);
	}

	get text() {
		return this.input.value.trim();
	}

	/// Puts a text in; `applies` also filters by it.
	set(text, applies = false) {
		this.input.value = text;
		this.show(undefined);
		this.hide();
		if (applies) this.apply(true);
	}

	changed(isTyping) {
		this.isTyping = isTyping;
		this.show(undefined);
		this.suggest();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.apply(false), pause);
	}

	async apply(isFinal) {
		clearTimeout(this.timer);
		const { text } = this;
		const refusal = await this.options.apply(text, isFinal);
		if (text !== this.text) return;
		// A person who still types knows that more will come.
		const isUnfinished = !isFinal && refusal?.offset >= text.length;
		if (!isUnfinished || document.activeElement !== this.input) this.show(refusal);
	}

	/// Shows why the text was refused, or that it was not.
	show(refusal) {
		this.error = refusal;
		const text = this.input.value;
		const lead = text.length - text.trimStart().length;
		const from = refusal?.offset === undefined ? Infinity : refusal.offset + lead;
		const to = from + Math.max(refusal?.length ?? 1, 1);
		const parts = tokens(text).map((token) => {
			const isWrong = token.start < to && token.start + token.text.length > from;
			return h(`span.t-${token.kind}${isWrong ? ".wrong" : ""}`, token.text);
		});
		if (from >= text.length && from < Infinity) parts.push(h("span.wrong", "  "));
		fill(this.mirror, h("span.filter-text", parts));
		this.clear.hidden = text === "";
		this.input.setAttribute("aria-invalid", Boolean(refusal));
		fill(this.message, refusal?.message.split("\n")[0].replace(/^.* at character \d+: /, ""));
		this.message.classList.toggle("placed", from < Infinity);
		this.follow();
		if (refusal) this.placeMessage();
	}

	/// The sentence begins under the word that it is about.
	placeMessage() {
		const box = this.element.getBoundingClientRect();
		const wrong = this.mirror.querySelector(".wrong")?.getBoundingClientRect().left ?? box.left;
		const left = Math.max(0, Math.min(wrong - box.left - 8, box.width - messageWidth));
		this.message.style.setProperty("margin-left", `${left}px`);
		this.message.style.setProperty("--arrow", `${Math.max(wrong - box.left - left + 2, 8)}px`);
	}

	follow() {
		this.mirror.firstChild?.style.setProperty(
			"transform", `translateX(${-this.input.scrollLeft}px)`);
	}

	// Completion.

	suggest() {
		const { schema, className, values = () => [] } = this.options;
		const { value, selectionStart } = this.input;
		this.found = suggestions(value, selectionStart ?? value.length, schema, className(), values);
		this.chosen = -1;
		if (!this.found.items.length || document.activeElement !== this.input) return this.hide();
		fill(this.list, this.found.items.map((item, index) => h(`li.completion.c-${item.kind}`, {
			role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false",
			on: { pointerdown: (event) => { event.preventDefault(); this.accept(index); } },
		}, h("span.completion-text", item.text), h("span.completion-note", item.note))));
		this.list.hidden = false;
		this.input.setAttribute("aria-expanded", "true");
		// The list stands under the word that it completes.
		const probe = h("span.filter-probe", value.slice(0, this.found.start));
		this.mirror.append(probe);
		const left = probe.offsetWidth - this.input.scrollLeft;
		probe.remove();
		this.list.style.setProperty(
			"left", `${Math.max(0, Math.min(left, this.element.clientWidth - 300))}px`);
		return undefined;
	}

	hide() {
		this.list.hidden = true;
		this.input.setAttribute("aria-expanded", "false");
		this.input.removeAttribute("aria-activedescendant");
	}

	choose(index) {
		const { children } = this.list;
		this.chosen = (index + children.length) % children.length;
		[...children].forEach((item, place) =>
			item.setAttribute("aria-selected", place === this.chosen));
		children[this.chosen].scrollIntoView({ block: "nearest" });
		this.input.setAttribute("aria-activedescendant", children[this.chosen].id);
	}

	accept(index) {
		const { start, end, items } = this.found;
		const text = this.input.value;
		const rest = text.slice(end);
		const word = items[index].text;
		const written = `${word}${word.endsWith("(") || rest.startsWith(" ") ? "" : " "}`;
		this.input.value = text.slice(0, start) + written + rest;
		this.input.setSelectionRange(start + written.length, start + written.length);
		this.changed();
	}

	key(event) {
		const isShown = !this.list.hidden;
		if (event.key === "ArrowDown" && isShown) this.choose(this.chosen + 1);
		else if (event.key === "ArrowUp" && isShown) this.choose(Math.max(this.chosen, 0) - 1);
		else if (event.key === "Tab" && isShown && this.isTyping && !event.shiftKey) {
			this.accept(Math.max(this.chosen, 0));
		} else if (event.key === "Enter" && isShown && this.chosen >= 0) this.accept(this.chosen);
		else if (event.key === "Enter") {
			this.hide();
			this.apply(true);
		} else if (event.key === "Escape" && isShown) this.hide();
		else if (event.key === "ArrowDown") this.options.leave?.();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
