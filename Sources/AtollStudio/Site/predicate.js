// Reads a predicate as far as it is written, to colour it and to say what could come next.
//
// The server alone decides what a predicate means; this only helps to write one.

import { isNumeric, quoted, typeText } from "./schema.js";

const pattern = new RegExp([
  /(?<space>\s+)/, /(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/,
  /(?<date>\d{4}-\d\d-\d\d@[\d:.]*)/, /(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/,
  /(?<name>[@#$]?[\p{L}_][\p{L}\p{N}_]*(?:\[[cd]+\])?)/u, /(?<operator>==|!=|<>|<=|=<|>=|=>|[=<>]|&&|\|\||!)/,
  /(?<sign>[-+*/])/, /(?<mark>[(){},.[\]@])/, /(?<other>.)/,
].map((one) => one.source).join("|"), "gsu");

const joiners = ["AND", "OR"];
const textOperators = ["BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE"];
const compares = ["==", "!=", "<", "<=", ">", ">="];
const wordOperators = [...textOperators, "IN", "BETWEEN", "TEXT", "GEOWITHIN"];
const openers = ["NOT", "ANY", "SOME", "ALL", "NONE"];
const constants = ["TRUE", "FALSE", "YES", "NO", "NIL", "NULL", "TRUEPREDICATE", "FALSEPREDICATE"];
const functions = ["SUBQUERY", "OBJ", "UUID", "OID", "GEOBOX", "GEOCIRCLE", "GEOPOLYGON"];
const suffixes = ["SORT", "DISTINCT", "LIMIT"];
const keywords = new Set([
  ...joiners, ...wordOperators, ...openers, ...constants, ...functions, ...suffixes, "ASC", "DESC",
  "SELF",
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
/// `values(path)` answers values that rows in memory have. Each suggestion has text, kind and note; the
/// answer says from where to where it replaces the text.
export function suggestions(text, caret, schema, className, values) {
  const before = text.slice(0, caret);
  const list = tokens(before);
  const last = list.at(-1);
  const isOpen = last && !["space", "operator", "sign", "mark"].includes(last.kind) &&
    !(last.kind === "string" && /^(["']).*\1$/s.test(last.text) && last.text.length > 1);
  const typed = isOpen ? last.text : "";
  const { state, subject, suffix } = expectation(
    isOpen ? list.slice(0, -1) : list, schema, className);
  const path = isOpen && last.kind === "name" && last.text.includes(".")
    ? last.text.slice(0, last.text.lastIndexOf(".")) : undefined;
  let found;
  let start = caret - typed.length;
  let needle = typed;
  if (path !== undefined && ["operand", "path", "value"].includes(state)) {
    start = caret - (typed.length - path.length - 1);
    needle = typed.slice(path.length + 1);
    found = steps(path, schema, className);
  } else {
    const subjectPath = pathBefore(isOpen ? list.slice(0, -1) : list);
    found = {
      operand: () => [...names(schema, className), ...words(openers.slice(0, 4), "")],
      path: () => names(schema, className),
      operator: () => operators(subject),
      value: () => valuesFor(subject, subjectPath, values),
      joiner: () => [
        ...words(joiners, "joins two conditions"),
        { text: "SORT(", kind: "keyword", note: "orders" },
        { text: "DISTINCT(", kind: "keyword", note: "one of each" },
        { text: "LIMIT(", kind: "keyword", note: "at most" },
      ],
      order: () => suffix === "SORT" ? words(["ASC)", "DESC)"], "") : [],
      nothing: () => [],
    }[state]();
  }
  const ranked = rank(found, needle);
  const isComplete = ranked.length === 1 && ranked[0].text === needle;
  return { start, end: caret, items: isComplete ? [] : ranked.slice(0, 60) };
}

function rank(found, needle) {
  const small = needle.toLowerCase();
  const bare = small.replace(/^["']/, "");
  return found
    .map((one) => ({ one, low: one.text.toLowerCase() }))
    .filter(({ low }) => low.includes(small) || (bare !== small && low.includes(bare)))
    .sort((a, b) => place(a.low, small) - place(b.low, small))
    .map(({ one }) => one);
}

function place(text, needle) {
  return text.startsWith(needle) ? 0 : 1;
}

function pathBefore(list) {
  const names = list.filter((token) => token.kind === "name");
  return names.at(-1)?.text;
}

function names(schema, className) {
  return schema.properties(className).map((one) => (
    { text: one.name, kind: "property", note: typeText(one) }));
}

function steps(path, schema, className) {
  const property = schema.property(className, plain(path));
  if (!property) return [];
  const own = property.target ? names(schema, property.target) : [];
  if (!property.collection) return own;
  return [...words(["@count", "@min", "@max", "@sum", "@avg"], "of all"), ...own];
}

function words(list, note) {
  return list.map((text) => ({ text, kind: "keyword", note }));
}

function operators(property) {
  if (!property) return words([...compares, ...textOperators], "");
  if (property.collection) return words(["==", "!=", "IN"], "after ANY, ALL or NONE");
  if (property.type === "String") {
    return words([
      "==", "!=", "BEGINSWITH", "CONTAINS", "CONTAINS[cd]", "ENDSWITH", "LIKE", "IN", "<", ">",
    ], "");
  }
  if (isNumeric(property.type) || property.type === "Date") {
    return words([...compares, "BETWEEN", "IN"], "");
  }
  return words(["==", "!=", "IN"], "");
}

function valuesFor(property, path, values) {
  const found = [];
  if (property?.type === "Bool") found.push(...words(["TRUE", "FALSE"], ""));
  if (property?.type === "Date") {
    found.push({ text: `${new Date().toISOString().slice(0, 10)}@00:00:00`, kind: "value",
      note: "today, UTC" });
  }
  if (path && property && !property.collection && !["Data", "Date", "Bool"].includes(property.type)) {
    const isBare = isNumeric(property.type);
    for (const text of values(path)) {
      found.push({ text: isBare ? text : quoted(text), kind: "value", note: "in sight" });
    }
  }
  return [...found, { text: "nil", kind: "keyword", note: "no value" }];
}
