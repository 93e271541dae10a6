// Fields to edit one value in, by its type.

import { h, uniqueID } from "./dom.js";
import { quoted } from "./schema.js";
import { editText, newObjectID, newUUID, parseValue } from "./values.js";

/// A field for a value of `property`; `json` is what it begins with, undefined for nil.
///
/// Answers element, read() with the JSON (null for nil; throws a sentence), and focus().
export function valueField(studio, property, json, options = {}) {
  const label = options.label ?? property.name;
  const field = fields[property.type] ?? textField;
  return field({ studio, property, json, label, ...options });
}

const fields = {
  Bool: boolField,
  Date: dateField,
  String: stringField,
  UUID: (given) => textField(given, { placeholder: "8-4-4-4-12 hexadecimal digits", fill: newUUID }),
  ObjectId: (given) => textField(given, { placeholder: "24 hexadecimal digits", fill: newObjectID }),
  Int: (given) => textField(given, { inputmode: "numeric", placeholder: "whole number" }),
  Double: (given) => textField(given, { inputmode: "decimal", placeholder: "number" }),
  Float: (given) => textField(given, { inputmode: "decimal", placeholder: "number" }),
  Decimal128: (given) => textField(given, { inputmode: "decimal", placeholder: "decimal" }),
  Data: (given) => textField(given, { placeholder: "hexadecimal digits", isMono: true }),
  "any value": (given) => textField(given, { placeholder: "JSON", isMono: true }),
  "embedded object": (given) => textField(given, { placeholder: "JSON object", isMono: true }),
  link: linkField,
};

function boolField({ json, label }) {
  const element = h("select", { "aria-label": label },
    ["true", "false", "nil"].map((text) => h("option", { value: text }, text)));
  element.value = json === undefined || json === null ? "nil" : String(json);
  return {
    element, focus: () => element.focus(),
    read: () => (element.value === "nil" ? null : element.value === "true"),
  };
}

function textField({ studio, property, json, label, isRequired }, look = {}) {
  const input = h("input", {
    type: "text", "aria-label": label, value: editText(json, property), autocomplete: "off",
    spellcheck: "false", class: look.isMono ? "mono" : "", inputmode: look.inputmode,
    placeholder: look.placeholder ? `nil, or ${look.placeholder}` : "nil",
  });
  const make = look.fill && h("button", {
    type: "button", class: "quiet", on: { click: () => { input.value = look.fill(); } },
  }, "New");
  return {
    element: h("span", { class: "field-row" }, input, make), input,
    focus: () => { input.focus(); input.select(); },
    read: () => {
      if (input.value.trim() !== "") return parseValue(input.value, property, studio.schema);
      if (isRequired) throw new Error(`${property.name} needs a value.`);
      return null;
    },
  };
}

/// A string may be empty, which is not nil; so nil has a box of its own.
function stringField({ json, label, isRequired, isNew }) {
  const isNil = json === undefined || json === null;
  const area = h("textarea", {
    "aria-label": label, rows: 1, value: json ?? "", spellcheck: "false",
    on: { input: () => { if (box) box.checked = false; grow(); } },
  });
  const grow = () => {
    area.style.setProperty("height", "auto");
    area.style.setProperty("height", `${Math.min(area.scrollHeight + 2, 280)}px`);
  };
  const box = isRequired ? undefined : h("input", { type: "checkbox", checked: isNil });
  requestAnimationFrame(grow);
  return {
    element: h("span", { class: "field-row" }, area,
      box && h("label", { class: "nil-box" }, box, "nil")),
    focus: () => { area.focus(); if (!isNew) area.select(); },
    read: () => {
      if (isRequired && area.value === "" && isNew) throw new Error("Write a key.");
      return box?.checked ? null : area.value;
    },
  };
}

/// The day and time in UTC, as dates are stored; years beyond four digits as text.
function dateField({ studio, property, json, label }) {
  const text = json?.date ?? "";
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*Z$/.exec(text);
  if (text && !found) return textField({ studio, property, json, label });
  const input = h("input", {
    type: "datetime-local", step: "0.001", "aria-label": `${label}, UTC`, value: found?.[1] ?? "",
  });
  return {
    element: h("span", { class: "field-row" }, input, h("span", { class: "unit" }, "UTC"),
      h("button", {
        type: "button", class: "quiet",
        on: { click: () => { input.value = new Date().toISOString().slice(0, 19); } },
      }, "Now"),
      h("button", {
        type: "button", class: "quiet", on: { click: () => { input.value = ""; } },
      }, "nil")),
    focus: () => input.focus(),
    read: () => {
      if (input.value === found?.[1] && text) return json;
      if (input.validity.badInput) throw new Error("Write a whole date with its time.");
      if (!input.value) return null;
      return { date: `${input.value.length === 16 ? `${input.value}:00` : input.value}Z` };
    },
  };
}

/// The key of the target, with keys that begin so as suggestions.
function linkField(given) {
  const field = textField(given, { placeholder: `key of ${given.property.target}` });
  const list = h("datalist", { id: uniqueID() });
  field.input.setAttribute("list", list.id);
  field.element.append(list);
  let asked = 0;
  field.input.addEventListener("input", async () => {
    const turn = ++asked;
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (turn !== asked) return;
    const rows = await keys(given.studio, given.property.target, field.input.value.trim());
    if (turn === asked) list.replaceChildren(...rows.map((row) => h("option", { value: row[0].text },
      row.slice(1).filter((one) => one.type === "String").slice(0, 2).map((one) => one.text)
        .join(", "))));
  });
  return field;
}

async function keys(studio, className, text) {
  const key = studio.schema.class(className)?.key;
  const where = key?.type === "String" && text
    ? `${key.name} BEGINSWITH[c] ${quoted(text)}` : undefined;
  if (text && !where) return [];
  try {
    return (await studio.api.get("objects", { class: className, where, count: 12 })).rows;
  } catch {
    return [];
  }
}
