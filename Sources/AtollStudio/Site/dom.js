// Makes elements. Data becomes text nodes and attributes only, never markup.

const svgSpace = "http://www.w3.org/2000/svg";

/// The tag may have classes, as in `div.panel.warn`; properties may be left out.
function build(make, description, rest) {
	const [tag, ...classes] = description.split(".");
	const element = make(tag);
	if (classes.length) element.setAttribute("class", classes.join(" "));
	const hasProperties = rest[0]?.constructor === Object;
	if (hasProperties) set(element, rest[0]);
	append(element, hasProperties ? rest.slice(1) : rest);
	return element;
}

function set(element, properties) {
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined || value === null || value === false) continue;
		if (name === "on") {
			for (const [event, handler] of Object.entries(value)) {
				element.addEventListener(event, handler);
			}
		} else if (name === "vars") {
			for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
		} else if (name === "value" || name === "checked" || name === "indeterminate") {
			element[name] = value;
		} else {
			element.setAttribute(name === "label" ? "aria-label" : name, value === true ? "" : value);
		}
	}
}

function append(element, children) {
	for (const child of children) {
		if (child === undefined || child === null || child === false) continue;
		if (Array.isArray(child)) append(element, child);
		else element.append(child);
	}
}

/// An HTML element; `on` has event handlers, `vars` CSS properties, `label` is `aria-label`.
export function h(tag, ...rest) {
	return build((name) => document.createElement(name), tag, rest);
}

export function s(tag, ...rest) {
	return build((name) => document.createElementNS(svgSpace, name), tag, rest);
}

/// Puts `children` in the place of all that `element` has.
export function fill(element, ...children) {
	element.replaceChildren();
	append(element, children);
	return element;
}

/// A button; `look` is its class, `more` has other properties.
export function button(content, action, look, more) {
	return h("button", { type: "button", class: look, on: { click: action }, ...more }, content);
}

export function iconButton(name, label, action, title = label) {
	return button(icon(name), action, "quiet square", { label: label, title });
}

/// A line icon of 16 × 16 units.
export function icon(name) {
	return s("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" },
		s("path", { d: icons[name] }));
}

const icons = {
	objects: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
	schema: "M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM4.5 6.5v5h5",
	conflicts: "M3 3l5 5M13 3L8 8v5.5M6 11.5l2 2 2-2",
	log: "M3 3.5h10M3 8h10M3 12.5h6M11.5 12.5h.01",
	replication: "M8 3.2a1.2 1.2 0 100-.01M3.4 12a1.2 1.2 0 100-.01M12.6 12a1.2 1.2 0 100-.01" +
		"M7.2 4.6l-3 5.6M8.8 4.6l3 5.6M5 12.2h6",
	query: "M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.4 10.4l3.1 3.1",
	health: "M1.8 8.5h3l1.7-4.5 3 8 1.7-3.5h3",
	undo: "M6 3L3 6l3 3M3.2 6H10a3.2 3.2 0 010 6.5H7",
	plus: "M8 3v10M3 8h10",
	trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
	close: "M4 4l8 8M12 4l-8 8",
	up: "M8 12.5v-9M4.5 7L8 3.5 11.5 7",
	down: "M8 3.5v9M4.5 9L8 12.5 11.5 9",
	map: "M2.5 4.2l3.7-1.4 3.6 1.4 3.7-1.4v9l-3.7 1.4-3.6-1.4-3.7 1.4zM6.2 2.8v9M9.8 4.2v9",
	history: "M3 8a5 5 0 105-5c-2 0-3.6 1.1-4.5 2.7M3.2 2.8v3h3M8 5.5V8l2 1.3",
	download: "M8 2.8v7M5 7l3 3 3-3M3 13h10",
	back: "M9.5 3.5L5 8l4.5 4.5",
	edit: "M3 13l.6-2.8 6.9-6.9 2.2 2.2-6.9 6.9z",
};

let next = 0;
/// An id that no other element of the page has.
export function uniqueID() {
	next += 1;
	return `e${next}`;
}
