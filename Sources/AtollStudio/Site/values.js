// Values between JSON, as `atoll export` writes it, and the text that a person types.

/// The member that stands for a type that JSON has no word for.
const wrappers = {
	UUID: "uuid", Date: "date", Decimal128: "decimal", Data: "data", ObjectId: "objectId",
	Double: "number", Float: "float", identity: "identity",
};

const types = Object.fromEntries(Object.entries(wrappers).map(([type, name]) => [name, type]));

/// The type and text of a JSON value; nil for what has others in it.
export function plainOf(json, property) {
	if (json === undefined || json === null) return { isNil: true };
	if (typeof json === "string") return { type: "String", text: json };
	if (typeof json === "boolean") return { type: "Bool", text: String(json) };
	if (typeof json !== "object") {
		const isWhole = typeof json === "bigint" || Number.isInteger(json);
		const isFraction = ["Double", "Float"].includes(property?.type);
		return { type: isWhole && !isFraction ? "Int" : "Double", text: String(json) };
	}
	const names = Object.keys(json);
	if (names.length === 2 && typeof json.class === "string" && "key" in json) {
		return { type: "link", text: keyText(json.key), target: json.class };
	}
	const type = types[names[0]];
	const isPlain = names.length === 1 && type && typeof json[names[0]] === "string";
	return isPlain ? { type, text: json[names[0]] } : undefined;
}

/// The JSON of a property in an object: an ambiguous name has the type after it there.
export function member(object, property, isRoot = false) {
	const { name, type, target, collection } = property;
	const one = target ? `${type} ${target}` : type;
	const long = object[`${name}:${collection ? `${collection} of ${one}` : one}`];
	return long ?? (isRoot && ["class", "key"].includes(name) ? undefined : object[name]);
}

export function keyText(key) {
	return key === null ? "nil" : String(typeof key === "object" ? Object.values(key)[0] : key);
}

/// The JSON of what a person typed for a value of a property.
///
/// Throws an `Error` with a sentence if it cannot be one.
export function parseValue(text, property, schema) {
	const { type, target } = property;
	const trimmed = text.trim();
	const need = (pattern, sentence) => {
		if (!pattern.test(trimmed)) throw new Error(sentence);
	};
	switch (type) {
		case "String":
			return text;
		case "Bool":
			need(/^(true|false)$/, "Write true or false.");
			return trimmed === "true";
		case "Int":
			need(/^[-+]?\d+$/, "Write a whole number, such as -12.");
			return wholeNumber(trimmed);
		case "Float":
		case "Double":
			need(/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, "Write a number, such as 3.25.");
			return Number(trimmed);
		case "Data":
			need(/^([0-9a-f]{2}|\s)*$/i, "Write pairs of hexadecimal digits, such as 00ff.");
			return { data: trimmed.replace(/\s/g, "").toLowerCase() };
		case "any value":
			return parsed(trimmed);
		case "embedded object":
			need(/^\{/, "Write a JSON object.");
			return parsed(trimmed);
		case "link": {
			const key = schema.class(target)?.key;
			return { class: target, key: key ? parseValue(text, key, schema) : { identity: trimmed } };
		}
		default:
			return { [wrappers[type]]: trimmed };
	}
}

function wholeNumber(text) {
	const value = Number(text);
	if (Number.isSafeInteger(value)) return value;
	if (JSON.rawJSON) return BigInt(text);
	throw new Error("This browser keeps whole numbers up to 9007199254740991 only.");
}

function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		throw new Error('Write JSON: 7, "text", true, {"date": "2024-02-29T12:30:00Z"} or [1, 2].');
	}
}

/// The text to begin with when a value is edited.
export function editText(json, property) {
	if (json === undefined || json === null) return "";
	const isJSON = ["any value", "embedded object"].includes(property.type);
	return !isJSON && plainOf(json, property)?.text || JSON.stringify(json, (name, one) =>
		typeof one === "bigint" ? Number(one) : one);
}

export function newUUID() {
	const hex = hexadecimal(16).toUpperCase();
	const variant = "89AB"[parseInt(hex[16], 16) & 3];
	return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`,
		variant + hex.slice(17, 20), hex.slice(20)].join("-");
}

export function newObjectID() {
	return Math.floor(Date.now() / 1000).toString(16).padStart(8, "0") + hexadecimal(8);
}

function hexadecimal(count) {
	return [...crypto.getRandomValues(new Uint8Array(count))]
		.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
