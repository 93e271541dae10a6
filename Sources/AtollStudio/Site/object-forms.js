// Forms for a new object, and for one property of many objects.

import { h, fill } from "./dom.js";
import { complain, dialog } from "./dialog.js";
import { count } from "./format.js";
import { typeText } from "./schema.js";
import { valueField } from "./editor.js";
import { keyText, newObjectID, newUUID } from "./values.js";

/// Properties that a form can hold in one field.
function single(schema, className) {
  return (schema.class(className)?.properties ?? []).filter((one) =>
    !one.collection && one.type !== "embedded object");
}

/// Asks for the values of a new object and makes it; the answer is its key.
export async function newObject(studio, className) {
  const { key } = studio.schema.class(className);
  const start = { UUID: () => ({ uuid: newUUID() }), ObjectId: () => ({ objectId: newObjectID() }) };
  const rows = single(studio.schema, className).map((property) =>
    ({ property, field: valueField(studio, property, undefined, { isNew: true }) }));
  const keyField = key && valueField(studio, key, start[key.type]?.(),
    { isNew: true, isRequired: true });
  return dialog(`New ${className}`, (close) => {
    const message = h("p", { class: "field-error", role: "alert" });
    const save = async (event) => {
      event.preventDefault();
      try {
        const values = {};
        const madeKey = keyField?.read();
        if (key) values[key.name] = madeKey;
        for (const { property, field } of rows) {
          const json = reading(property, field);
          if (json !== null) values[property.name] = json;
        }
        await studio.edits.write([{
          kind: "create", class: className, values, key: key && keyText(madeKey),
        }], `${className} made.`, { throws: true });
        close(key ? keyText(madeKey) : undefined);
      } catch (error) {
        fill(message, error.message);
      }
    };
    return h("form", { class: "dialog-body form", on: { submit: save } },
      key && row(key, keyField, "key"),
      rows.map(({ property, field }) => row(property, field)),
      h("p", { class: "faint small" }, "Fields left as they are become nil. Lists, sets, maps and " +
        "embedded objects are filled on the object's page."), message,
      h("div", { class: "dialog-actions" },
        h("button", { type: "button", on: { click: () => close() } }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, "Create")));
  });
}

function reading(property, field) {
  try {
    return field.read();
  } catch (error) {
    throw new Error(`${property.name}: ${error.message}`);
  }
}

function row(property, field, note) {
  return h("div", { class: "form-row" },
    h("span", { class: "form-name" }, property.name,
      h("span", { class: "type" }, note ? `${typeText(property)}, ${note}` : typeText(property))),
    field.element);
}

/// Asks for a property and a value, and sets it on all objects; true once it is done.
export async function setMany(studio, className, keys) {
  const choices = single(studio.schema, className);
  if (!choices.length) {
    complain(new Error(`${className} has no property that a form can set.`));
    return false;
  }
  return dialog(`Set a property of ${count(keys.length, "object")}`, (close) => {
    let field;
    const place = h("div", { class: "form-row" });
    const message = h("p", { class: "field-error", role: "alert" });
    const select = h("select", {
      "aria-label": "Property", autofocus: true, on: { change: () => choose() },
    }, choices.map((one, index) => h("option", { value: index }, `${one.name}: ${typeText(one)}`)));
    const choose = () => {
      const property = choices[Number(select.value)];
      field = valueField(studio, property, undefined);
      fill(place, h("span", { class: "form-name" }, "Value"), field.element);
    };
    choose();
    const save = async (event) => {
      event.preventDefault();
      try {
        const { name } = choices[Number(select.value)];
        const values = { [name]: field.read() };
        await studio.edits.write(
          keys.map((key) => ({ kind: "set", class: className, key, values })),
          `${name} set on ${count(keys.length, "object")}.`, { throws: true });
        close(true);
      } catch (error) {
        fill(message, error.message);
      }
    };
    return h("form", { class: "dialog-body form", on: { submit: save } },
      h("div", { class: "form-row" }, h("span", { class: "form-name" }, "Property"), select), place,
      h("p", { class: "faint small" }, "All of it is one transaction, and one changeset."), message,
      h("div", { class: "dialog-actions" },
        h("button", { type: "button", on: { click: () => close() } }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, `Set ${count(keys.length, "object")}`)));
  });
}
