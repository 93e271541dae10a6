// Values between JSON, as `atoll export` writes it, and the text that a person reads and types.

const wrappers = {
  UUID: "uuid", Date: "date", Decimal128: "decimal", Data: "data", ObjectId: "objectId",
  Double: "number", Float: "float", identity: "identity",
};

const typesByWrapper = Object.fromEntries(
  Object.entries(wrappers).map(([type, name]) => [name, type]));

/// The type and text of a JSON value; nil of what is a list, a map or an object.
export function plainOf(json, property) {
  if (json === undefined || json === null) return { isNil: true };
  if (typeof json === "boolean") return { type: "Bool", text: String(json) };
  if (typeof json === "string") return { type: "String", text: json };
  if (typeof json === "bigint") return { type: "Int", text: String(json) };
  if (typeof json === "number") {
    const isWhole = Number.isInteger(json) && !["Double", "Float"].includes(property?.type);
    return { type: isWhole ? "Int" : "Double", text: String(json) };
  }
  if (Array.isArray(json)) return undefined;
  if (isLink(json)) return { type: "link", text: keyText(json.key), target: json.class };
  const names = Object.keys(json);
  const type = typesByWrapper[names[0]];
  if (names.length !== 1 || !type || typeof json[names[0]] !== "string") return undefined;
  return { type, text: json[names[0]] };
}

/// The JSON of a property in an object as `atoll export` writes it: a name that means something else there
/// has the type after it.
export function member(object, property, isRoot = false) {
  const { name, type, target, collection } = property;
  const one = target ? `${type} ${target}` : type;
  const long = `${name}:${collection ? `${collection} of ${one}` : one}`;
  if (object[long] !== undefined) return object[long];
  return isRoot && (name === "class" || name === "key") ? undefined : object[name];
}

export function isLink(json) {
  return typeof json === "object" && json !== null && typeof json.class === "string" &&
    json.key !== undefined && Object.keys(json).length === 2;
}

/// The key of a link as text.
export function keyText(key) {
  if (key === null) return "nil";
  if (typeof key === "object") return String(Object.values(key)[0]);
  return String(key);
}

/// The JSON of what a person typed for a value of a property.
///
/// Throws an `Error` with a sentence if it cannot be one.
export function parseValue(text, property, schema) {
  const trimmed = text.trim();
  switch (property.type) {
    case "String":
      return text;
    case "Bool":
      if (!/^(true|false)$/.test(trimmed)) throw new Error("Write true or false.");
      return trimmed === "true";
    case "Int":
      if (!/^[-+]?\d+$/.test(trimmed)) throw new Error("Write a whole number, such as -12.");
      return wholeNumber(trimmed);
    case "Float":
    case "Double":
      if (trimmed === "" || Number.isNaN(Number(trimmed))) {
        throw new Error("Write a number, such as 3.25.");
      }
      return Number(trimmed);
    case "Data":
      if (!/^([0-9a-f]{2}|\s)*$/i.test(trimmed)) {
        throw new Error("Write pairs of hexadecimal digits, such as 00ff.");
      }
      return { data: trimmed.replace(/\s/g, "").toLowerCase() };
    case "any value":
      return anyValue(trimmed);
    case "link":
      return { class: property.target, key: parseKey(trimmed, schema, property.target) };
    case "embedded object":
      return object(trimmed);
    default:
      return { [wrappers[property.type]]: trimmed };
  }
}

function wholeNumber(text) {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  if (!JSON.rawJSON) {
    throw new Error("This browser keeps whole numbers up to 9007199254740991 only. " +
      "Use atoll import for this one.");
  }
  return BigInt(text);
}

function anyValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('Write JSON: 7, "text", true, null, {"date": "2024-02-29T12:30:00Z"} or [1, 2].');
  }
}

function object(text) {
  const value = anyValue(text);
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("Write a JSON object.");
  return value;
}

export function parseKey(text, schema, className) {
  const key = schema.class(className)?.key;
  return key ? parseValue(text, key, schema) : text;
}

/// The text to begin with when a value is edited.
export function editText(json, property) {
  if (json === undefined || json === null) return "";
  if (property.type === "any value" || property.type === "embedded object") {
    return JSON.stringify(json, (name, one) => typeof one === "bigint" ? Number(one) : one, 1)
      .replace(/\n */g, " ");
  }
  return plainOf(json, property)?.text ?? JSON.stringify(json);
}

export function newUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = hexadecimal(bytes).toUpperCase();
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map((one) => hex.slice(...one)).join("-");
}

export function newObjectID() {
  const seconds = Math.floor(Date.now() / 1000).toString(16).padStart(8, "0");
  return seconds + hexadecimal(crypto.getRandomValues(new Uint8Array(8)));
}

function hexadecimal(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
