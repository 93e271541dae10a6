// Dialogs, questions before what cannot be taken back, popovers and toasts.

import { h, fill, button, iconButton, uniqueID } from "./dom.js";

/// Opens a dialog; the answer is what `close(value)` was given, nil if it was left by Escape.
export function dialog(title, build, look = "") {
	return new Promise((resolve) => {
		const heading = uniqueID();
		let answer;
		const element = h(`dialog.dialog${look}`, { "aria-labelledby": heading,
			on: { close: () => { element.remove(); resolve(answer); } } });
		const close = (value) => { answer = value; element.close(); };
		fill(element, h("header.dialog-head", h("h2", { id: heading }, title),
			iconButton("close", "Close", () => close())), build(close));
		document.body.append(element);
		element.showModal();
		element.querySelector("[autofocus], .dialog-body input, .dialog-body textarea")?.focus();
	});
}

export function confirm(title, sentences, action, isDangerous = false) {
	return dialog(title, (close) => h("div.dialog-body", sentences.map((text) => h("p", text)),
		h("div.dialog-actions",
			button("Cancel", () => close(false), "", { autofocus: isDangerous }),
			button(action, () => close(true), isDangerous ? "danger" : "primary",
				{ autofocus: !isDangerous }))), ".small-dialog");
}

let shown;

/// Opens a small panel beside an element; it closes by Escape or a click elsewhere.
export function popover(anchor, title, content) {
	closePopover();
	const element = shown = h("div.popover", {
		popover: "auto", role: "dialog", label: title, tabindex: -1,
		on: { toggle: (event) => {
			if (event.newState !== "closed") return;
			element.remove();
			anchor.closest("[tabindex='0']")?.focus();
		} },
	}, h("header.dialog-head", h("h2", title), iconButton("close", "Close", closePopover)), content);
	document.body.append(element);
	element.showPopover();
	const box = anchor.getBoundingClientRect();
	const below = box.bottom + 4;
	const top = below + element.offsetHeight < innerHeight ? below
		: Math.max(8, box.top - element.offsetHeight - 4);
	const left = Math.max(8, Math.min(box.left, innerWidth - element.offsetWidth - 8));
	element.style.setProperty("translate", `${left}px ${top}px`);
	element.focus();
}

export function closePopover() {
	if (shown?.isConnected) shown.hidePopover();
}

const toasts = h("div.toasts", { role: "status", "aria-live": "polite" });

/// Says something for six seconds; `action` is a button's name and what it does.
export function toast(text, { action, isError } = {}) {
	if (!toasts.isConnected) document.body.append(toasts);
	const close = () => element.remove();
	const run = () => { close(); action.run(); };
	const element = h(`div.toast${isError ? ".error" : ""}`, h("span", text),
		action && button(action.name, run, "toast-action"), iconButton("close", "Close", close));
	toasts.replaceChildren(element);
	setTimeout(close, isError ? 12_000 : 6000);
}

export function complain(error) {
	toast(error.message, { isError: true });
}
