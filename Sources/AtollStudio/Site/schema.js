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

  /// The key and the properties of a class.
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

  /// Pairs of columns that look like coordinates.
  coordinates(className, prefix = "", name = className, depth = 0) {
    const found = [];
    const own = this.class(name)?.properties ?? [];
    const isNumber = (one) => !one.collection && ["Double", "Float"].includes(one.type);
    const latitude = own.find((one) => isNumber(one) && /^(lat|latitude)$/i.test(one.name));
    const longitude = own.find((one) => isNumber(one) && /^(lon|lng|long|longitude)$/i.test(one.name));
    if (latitude && longitude) {
      found.push({ latitude: prefix + latitude.name, longitude: prefix + longitude.name });
    }
    if (depth > 3) return found;
    for (const one of own) {
      if (one.type !== "embedded object" || one.collection) continue;
      found.push(...this.coordinates(className, `${prefix}${one.name}.`, one.target, depth + 1));
    }
    return found;
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
