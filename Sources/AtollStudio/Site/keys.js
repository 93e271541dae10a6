// The keys that work on every page, and the list of them.

import { h } from "./dom.js";
import { dialog } from "./dialog.js";
import { go } from "./router.js";

/// The pages, and the letters that lead to them after `g`.
export const places = [
	["objects", "Objects", "o"], ["schema", "Schema", "s"], ["conflicts", "Conflicts", "c"],
	["log", "Log", "l"], ["replication", "Replication", "r"], ["query", "Query", "q"],
	["health", "Health", "h"],
];

const rows = [
	["/", "To the filter"],
	["↑ ↓ ← →", "Walk through the table"],
	["PageUp PageDown", "A screen of rows further"],
	["Ctrl Home", "To the first row"],
	["Ctrl End", "To the last row"],
	["Enter", "Open the object"],
	["Space", "Select the row; with Shift up to it"],
	["Escape", "Close, or go back"],
	["n", "New object"],
	["m", "Map"],
	["Ctrl Z", "Undo the last edit"],
	["Tab", "Take the completion"],
	["Alt ↑ ↓", "Move an element of a list"],
	["?", "This list"],
];

export function showKeys() {
	const all = [...rows, ...places.map(([, name, letter]) => [`g ${letter}`, `To ${name}`])];
	dialog("Keys", () => h("div.dialog-body", h("table.keys", h("tbody", all.map(([keys, text]) =>
		h("tr", h("th", { scope: "row" }, keys.split(" ").map((key) => h("kbd", key))),
			h("td", text)))))));
}

export function installKeys(studio) {
	let isGoing = false;
	document.addEventListener("keydown", (event) => {
		if (document.querySelector("dialog[open], .popover")) return;
		const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
		const isCommand = event.ctrlKey || event.metaKey;
		if (event.key === "Escape") escape(studio, event, isTyping);
		else if (isTyping || event.altKey) return;
		else if (isCommand && event.key === "z") studio.edits.undo();
		else if (isCommand) return;
		else if (isGoing && places.some(([, , letter]) => letter === event.key)) {
			go(studio.href(places.find(([, , letter]) => letter === event.key)[0]));
		} else if (event.key === "g") {
			isGoing = true;
			setTimeout(() => { isGoing = false; }, 1500);
			return;
		} else if (event.key === "?") showKeys();
		else if (event.key === "/") {
			const field = document.querySelector("#main .filter-input, #main [type=search]");
			if (field) field.focus();
			else go(studio.href("objects"));
		} else if (!studio.page?.pressed?.(event)) return;
		isGoing = false;
		event.preventDefault();
	});
}

function escape(studio, event, isTyping) {
	if (isTyping) {
		event.target.blur();
		studio.page?.enter?.();
	} else studio.page?.escape?.();
}
