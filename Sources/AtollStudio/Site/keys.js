// The keys that work on every page, and the list of them.

import { h } from "./dom.js";
import { dialog } from "./dialog.js";
import { places } from "./frame.js";
import { go } from "./router.js";

const rows = [
  ["/", "To the filter"],
  ["↑ ↓ ← →", "Walk through the table"],
  ["Page ↑ Page ↓", "A screen of rows further"],
  ["Ctrl Home, Ctrl End", "To the first or the last row"],
  ["Enter", "Open the object"],
  ["Space", "Select the row; with Shift up to it"],
  ["Escape", "Close, or go back"],
  ["n", "New object"],
  ["m", "Map"],
  ["Ctrl Z", "Undo the last edit"],
  ["Tab", "Take the completion"],
  ["Alt ↑, Alt ↓", "Move an element of a list"],
  ["?", "This list"],
];

export function showKeys() {
  dialog("Keys", () => h("div", { class: "dialog-body" }, h("table", { class: "keys" },
    h("tbody", {}, rows.map(row),
      places.map(([, name, letter]) => row([`g ${letter}`, `To ${name}`]))))), { isLight: true });
}

function row([keys, text]) {
  return h("tr", {}, h("th", { scope: "row" }, keys.split(" ").map((key) => h("kbd", {}, key))),
    h("td", {}, text));
}

export function installKeys(studio) {
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input:not([type=checkbox]), textarea, select");
    if (document.querySelector("dialog[open]")) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === "z" && !isTyping) {
      event.preventDefault();
      studio.edits?.undo();
      return;
    }
    if (event.key === "Escape") return escape(studio, event, isTyping);
    if (isTyping || isCommand || event.altKey) return;
    if (isGoing) {
      isGoing = false;
      const place = places.find(([, , letter]) => letter === event.key);
      if (place) {
        event.preventDefault();
        go(studio.href(place[0]));
        return;
      }
    }
    if (event.key === "g") {
      isGoing = true;
      setTimeout(() => { isGoing = false; }, 1500);
    } else if (event.key === "?") showKeys();
    else if (event.key === "/") {
      const field = document.querySelector("#main .filter-input, #main [type=search]");
      if (field) field.focus();
      else go(studio.href("objects"));
    } else if (!studio.page?.key?.(event)) return;
    event.preventDefault();
  });
}

function escape(studio, event, isTyping) {
  if (isTyping) {
    event.target.blur();
    studio.page?.enter?.();
  } else if (!studio.page?.escape?.()) {
    if (studio.pageName === "object") history.length > 1 ? history.back() : go(studio.href("objects"));
  }
}
