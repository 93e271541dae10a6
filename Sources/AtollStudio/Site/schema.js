// The classes of a store, and what a path through them leads to.

export class Schema {
	constructor(answer) {
		this.classes = answer.classes;
		this.clashes = answer.clashes ?? [];
		this.byName = new Map(answer.classes.map((one) => [one.name, one]));
	}

	/// Classes whose objects stand by themselves.
	get roots() {
		return this.classes.filter((one) => !one.isEmbedded);
	}

	class(name) {
		return this.byName.get(name);
	}

	/// Throws a sentence if there is no such class.
	need(name) {
		if (this.class(name)) return;
		throw new Error(`The store has no class ${name}. Choose another one.`);
	}

	properties(className) {
		const found = this.class(className);
		if (!found) return [];
		return found.key ? [found.key, ...found.properties] : found.properties;
	}

	/// The property that a path with dots leads to, through embedded objects and links.
	property(className, path) {
		let name = className;
		let found;
		for (const step of path.split(".")) {
			found = this.properties(name).find((one) => one.name === step);
			if (!found) return undefined;
			name = found.target;
		}
		return found;
	}

	/// The columns of a listing with their properties; the first is the key's.
	columns(className, paths) {
		const keyType = this.class(className)?.key?.type ?? "identity";
		return paths.map((path, place) => ({
			path,
			isKey: place === 0,
			property: place === 0 ? { name: path, type: keyType } : this.property(className, path),
		}));
	}

	/// The first two columns that look like coordinates; nil if there are none.
	coordinates(className, prefix = "") {
		const own = this.class(className)?.properties ?? [];
		const find = (pattern) => own.find((one) =>
			!one.collection && ["Double", "Float"].includes(one.type) && pattern.test(one.name))?.name;
		const [latitude, longitude] = [find(/^lat(itude)?$/i), find(/^(lon|lng|long|longitude)$/i)];
		if (latitude && longitude) {
			return { latitude: prefix + latitude, longitude: prefix + longitude };
		}
		// An embedded object that has itself in it ends the search.
		if (prefix.split(".").length > 4) return undefined;
		return own.filter((one) => one.type === "embedded object" && !one.collection)
			.map((one) => this.coordinates(one.target, `${prefix}${one.name}.`)).find(Boolean);
	}
}

/// The type of a property as a person writes it: `[String]`, `{Date}`, `[String: Int]`, `Airport`.
export function typeText(property) {
	if (!property) return "";
	const one = property.target ?? property.type;
	return { list: `[${one}]`, set: `{${one}}`, map: `[String: ${one}]` }[property.collection] ?? one;
}

export function isNumeric(type) {
	return ["Int", "Float", "Double", "Decimal128"].includes(type);
}

/// A key as a predicate writes it, in a comparison with the property `name`.
export function literal(type, text) {
	if (text === "nil" && type !== "String") return "nil";
	if (type === "Int" || type === "Bool") return text;
	return quoted(text);
}

export function quoted(text) {
	return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`;
}
