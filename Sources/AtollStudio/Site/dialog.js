// Dialogs, questions before what cannot be taken back, popovers and toasts.

import { h, fill, icon, uniqueID } from "./dom.js";

/// Opens a dialog; the answer is what `close(value)` was given, nil if it was left by Escape.
export function dialog(title, build, options = {}) {
  return new Promise((resolve) => {
    const heading = uniqueID();
    const element = h("dialog", {
      class: `dialog ${options.class ?? ""}`, "aria-labelledby": heading,
      on: {
        close: () => { element.remove(); resolve(element.answer); },
        click: (event) => event.target === element && options.isLight && element.close(),
      },
    });
    const close = (value) => { element.answer = value; element.close(); };
    fill(element, h("header", { class: "dialog-head" }, h("h2", { id: heading }, title),
      h("button", {
        class: "quiet square", type: "button", "aria-label": "Close", on: { click: () => close() },
      }, icon("close"))), build(close));
    document.body.append(element);
    element.showModal();
    element.querySelector("[autofocus]")?.focus();
  });
}

/// Asks before something is done; true if it is to be done.
export function confirm(title, sentences, action, isDangerous = false) {
  return dialog(title, (close) => h("div", { class: "dialog-body" },
    sentences.map((text) => h("p", {}, text)),
    h("div", { class: "dialog-actions" },
      h("button", { type: "button", autofocus: isDangerous, on: { click: () => close(false) } },
        "Cancel"),
      h("button", {
        type: "button", class: isDangerous ? "danger" : "primary", autofocus: !isDangerous,
        on: { click: () => close(true) },
      }, action))), { class: "small" });
}

let openPopover;

/// Opens a small panel beside an element; it closes by Escape or a click elsewhere.
export function popover(anchor, title, content) {
  closePopover();
  const element = h("div", {
    class: "popover", role: "dialog", "aria-label": title, tabindex: -1,
    on: {
      keydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        closePopover();
        anchor.closest("[tabindex]")?.focus();
      },
    },
  }, h("header", { class: "popover-head" }, h("strong", {}, title), h("button", {
    class: "quiet square", type: "button", "aria-label": "Close", on: { click: closePopover },
  }, icon("close"))), content);
  document.body.append(element);
  placeBeside(element, anchor);
  const outside = (event) => !element.contains(event.target) && closePopover();
  setTimeout(() => document.addEventListener("pointerdown", outside));
  openPopover = { element, end: () => document.removeEventListener("pointerdown", outside) };
  element.focus();
  return element;
}

export function placeBeside(element, anchor) {
  const box = anchor.getBoundingClientRect();
  const own = element.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - own.width - 8));
  const below = box.bottom + 4;
  const top = below + own.height < innerHeight ? below : Math.max(8, box.top - own.height - 4);
  element.style.setProperty("left", `${left}px`);
  element.style.setProperty("top", `${top}px`);
}

export function closePopover() {
  openPopover?.end();
  openPopover?.element.remove();
  openPopover = undefined;
}

const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

/// Says something for six seconds; `action` is a button's name and what it does.
export function toast(text, options = {}) {
  if (!toasts.isConnected) document.body.append(toasts);
  const element = h("div", { class: `toast ${options.isError ? "error" : ""}` },
    h("span", {}, text));
  const close = () => element.remove();
  if (options.action) {
    element.append(h("button", {
      type: "button", class: "toast-action",
      on: { click: () => { close(); options.action.run(); } },
    }, options.action.name));
  }
  element.append(h("button", {
    type: "button", class: "quiet square", "aria-label": "Close", on: { click: close },
  }, icon("close")));
  toasts.append(element);
  while (toasts.children.length > 3) toasts.firstChild.remove();
  setTimeout(close, options.isError ? 12_000 : 6000);
}

/// Says why something was refused.
export function complain(error) {
  if (error?.name === "AbortError") return;
  toast(error?.message ?? String(error), { isError: true });
}
