// Reads a predicate as far as it is written: its colours, and what could come next.
// The server alone decides what it means.

import { isNumeric, quoted, typeText } from "./schema.js";

const pattern = new RegExp([
	/(?<space>\s+)/, /(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/,
	/(?<date>\d{4}-\d\d-\d\d@[\d:.]*)/, /(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/,
	/(?<name>[@#$]?[\p{L}_][\p{L}\p{N}_]*(?:\[[cd]+\])?)/u,
	/(?<operator>==|!=|<>|<=|=<|>=|=>|[=<>]|&&|\|\||!)/,
	/(?<sign>[-+*/])/, /(?<mark>[(){},.[\]@])/, /(?<other>.)/,
].map((one) => one.source).join("|"), "gsu");

const compares = ["==", "!=", "<", "<=", ">", ">="];
const joiners = ["AND", "OR"];
const openers = ["NOT", "ANY", "ALL", "NONE", "SOME"];
const suffixes = ["SORT", "DISTINCT", "LIMIT"];
const wordOperators = [
	"BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "IN", "BETWEEN", "TEXT", "GEOWITHIN",
];
const keywords = new Set([
	...joiners, ...openers, ...suffixes, ...wordOperators, "ASC", "DESC", "TRUE", "FALSE", "YES",
	"NO", "NIL", "NULL", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "OBJ", "UUID", "OID", "SELF",
	"GEOBOX", "GEOCIRCLE", "GEOPOLYGON",
]);

/// The tokens of a text: kind, text and where it starts. Paths with dots are one token.
export function tokens(text) {
	const found = [];
	for (const match of text.matchAll(pattern)) {
		const [kind, part] = Object.entries(match.groups).find(([, value]) => value !== undefined);
		const last = found.at(-1);
		const continues = last?.kind === "name" && (last.text.endsWith(".") || part === ".") &&
			(kind === "name" || part === ".");
		if (continues) last.text += part;
		else if (kind === "name" && keywords.has(part.toUpperCase().replace(/\[.*/, ""))) {
			found.push({ kind: "keyword", text: part, start: match.index });
		} else {
			found.push({ kind, text: part, start: match.index });
		}
	}
	return found;
}

/// Follows a text to its end: what is expected there, and of which property.
function expectation(list, schema, className) {
	let state = "operand";
	let subject;
	let suffix;
	for (const token of list) {
		const word = token.text.toUpperCase().replace(/\[.*/, "");
		if (token.kind === "space") continue;
		if (suffix) {
			if (token.text === ")") [state, suffix] = ["joiner", undefined];
			else if (token.text === "(" || token.text === ",") state = "path";
			else state = "order";
		} else if (token.kind === "keyword" && suffixes.includes(word)) {
			[suffix, state] = [word, "nothing"];
		} else if (joiners.includes(word) || ["&&", "||", "!", "("].includes(token.text) ||
			openers.includes(word)) {
			state = state === "value" && token.text === "(" ? "value" : "operand";
		} else if (token.kind === "operator" || wordOperators.includes(word)) {
			state = "value";
		} else if (token.kind === "sign" || token.text === "," || token.text === "{") {
			state = state === "joiner" || state === "value" ? "value" : "operand";
		} else if (state === "operand") {
			subject = token.kind === "name" ? schema.property(className, plain(token.text)) : subject;
			[state, subject] = ["operator", endsInCount(token.text) ? { type: "Int" } : subject];
		} else if (state === "value") {
			state = "joiner";
		}
	}
	return { state, subject, suffix };
}

function plain(path) {
	return path.split(".").filter((step) => !step.startsWith("@")).join(".");
}

function endsInCount(path) {
	return /\.@(count|sum|avg|min|max)/.test(path);
}

/// What could be written at a place in the text.
///
/// `values(path)` answers values that rows in memory have. Each suggestion has text, kind and note;
/// the answer says from where to where it replaces the text.
export function suggestions(text, caret, schema, className, values) {
	const list = tokens(text.slice(0, caret));
	const last = list.at(-1);
	const isOpen = last && !["space", "operator", "sign", "mark"].includes(last.kind) &&
		!(last.kind === "string" && /^(["']).*\1$/s.test(last.text) && last.text.length > 1);
	const typed = isOpen ? last.text : "";
	const before = isOpen ? list.slice(0, -1) : list;
	const { state, subject, suffix } = expectation(before, schema, className);
	const dot = last?.kind === "name" && ["operand", "path", "value"].includes(state)
		? typed.lastIndexOf(".") : -1;
	const needle = typed.slice(dot + 1);
	const found = dot >= 0 ? steps(typed.slice(0, dot), schema, className) : {
		operand: () => [...names(schema, className), ...words(openers.slice(0, 4))],
		path: () => names(schema, className),
		operator: () => words(operators(subject)),
		value: () => valuesFor(subject, before, values),
		joiner: () => words([...joiners, ...suffixes.map((word) => `${word}(`)]),
		order: () => suffix === "SORT" ? words(["ASC)", "DESC)"]) : [],
		nothing: () => [],
	}[state]();
	const items = rank(found, needle);
	const isComplete = items.length === 1 && items[0].text === needle;
	return { start: caret - needle.length, end: caret, items: isComplete ? [] : items.slice(0, 60) };
}

/// Those that have what was typed in them; first those that begin so.
function rank(found, needle) {
	const small = needle.toLowerCase();
	const bare = small.replace(/^["']/, "") || small;
	const begins = ({ text }) => text.toLowerCase().startsWith(small) ? 0 : 1;
	return found.filter(({ text }) => text.toLowerCase().includes(bare))
		.sort((a, b) => begins(a) - begins(b));
}

function names(schema, className) {
	return schema.properties(className).map((one) =>
		({ text: one.name, kind: "property", note: typeText(one) }));
}

function steps(path, schema, className) {
	const property = schema.property(className, plain(path));
	const own = names(schema, property?.target);
	return property?.collection
		? [...words(["@count", "@min", "@max", "@sum", "@avg"], "of all"), ...own] : own;
}

function words(list, note = "") {
	return list.map((text) => ({ text, kind: "keyword", note }));
}

function operators(property) {
	if (property?.type === "String" && !property.collection) {
		return ["==", "!=", "BEGINSWITH", "CONTAINS", "CONTAINS[cd]", "ENDSWITH", "LIKE", "IN"];
	}
	const isOrdered = isNumeric(property?.type) || property?.type === "Date";
	return isOrdered && !property.collection ? [...compares, "BETWEEN", "IN"] : ["==", "!=", "IN"];
}

function valuesFor(property, before, values) {
	const path = before.filter((token) => token.kind === "name").at(-1)?.text;
	const others = [...property?.type === "Bool" ? ["TRUE", "FALSE"] : [],
		...property?.type === "Date" ? [`${new Date().toISOString().slice(0, 10)}@00:00:00`] : [],
		"nil"];
	const isKnown = path && property && !property.collection &&
		!["Data", "Date", "Bool"].includes(property.type);
	const known = isKnown ? values(path) : [];
	return [...known.map((text) => ({ kind: "value", note: "in sight",
		text: isNumeric(property.type) ? text : quoted(text) })), ...words(others)];
}
