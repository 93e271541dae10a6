package import AtollVocabulary

/// A predicate as text with `%@` in the place of each constant.
///
/// Reading the text with the arguments gives the same predicate again, or one that says the same.
package struct PrintedPredicate {
  package private(set) var text = ""
  /// Values and objects, in order.
  package private(set) var arguments: [Predicate.Expression] = []
  private let classes: [ClassID: StoredClass]
  /// Elements that `$x1`, `$x2` … stand for around the place that is printed.
  private var depth = 0

  package init(_ predicate: Predicate, among classes: [ClassID: StoredClass]) {
    self.classes = classes
    text = write(predicate)
  }

  private mutating func write(_ predicate: Predicate) -> String {
    switch predicate {
    case .always: return "TRUEPREDICATE"
    case .never: return "FALSEPREDICATE"
    case .not(let part): return "NOT \(grouped(part))"
    case .all(let parts): return joined(parts, " AND ", empty: "TRUEPREDICATE")
    case .any(let parts): return joined(parts, " OR ", empty: "FALSEPREDICATE")
    case .exists(let collection, .always): return "(\(path(collection)).@count > 0)"
    case .exists(let collection, let inner): return exists(collection, inner)
    case .linked(let path, let rows):
      return write(.contained(.path(path), rows.map { .object($0) }))
    case .comparison, .contained, .text: return "(\(leaf(predicate, prefix: nil)))"
    }
  }

  private mutating func grouped(_ predicate: Predicate) -> String {
    let text = write(predicate)
    return text.hasPrefix("(") && text.hasSuffix(")") ? text : "(\(text))"
  }

  private mutating func joined(_ parts: [Predicate], _ word: String, empty: String) -> String {
    parts.isEmpty ? empty : "(" + parts.map { write($0) }.joined(separator: word) + ")"
  }

  // MARK: Leaves

  /// `prefix` is the way to the element that the leaf speaks of, where it is written with `ANY`.
  private mutating func leaf(_ predicate: Predicate, prefix: String?) -> String {
    switch predicate {
    case .comparison(let left, let comparator, let right):
      return "\(side(left, prefix)) \(sign(comparator)) \(side(right, nil))"
    case .contained(let left, let values) where values.count == 1 && values[0].isShape:
      return "\(side(left, prefix)) IN \(side(values[0], nil))"
    case .contained(let left, let values):
      let left = side(left, prefix)
      return "\(left) IN {\(values.map { side($0, nil) }.joined(separator: ", "))}"
    case .text(let left, let match, let options, let right):
      return "\(side(left, prefix)) \(sign(match))\(sign(options)) \(side(right, nil))"
    case .always, .never, .all, .any, .not, .linked, .exists: return write(predicate)
    }
  }

  private mutating func side(_ expression: Predicate.Expression, _ prefix: String?) -> String {
    switch expression {
    case .value, .object, .shape:
      arguments.append(expression)
      return "%@"
    case .keyed(let target, let key):
      arguments.append(.value(key))
      return "obj('\(classes[target]?.name ?? "?")', %@)"
    case .path(let own):
      guard let prefix else { return path(own) }
      return own.steps.isEmpty && !own.isEntryKey ? prefix : joined(prefix, steps(own))
    case .kind(let path): return "\(side(.path(path), prefix)).@type"
    case .count(let collection, .always): return "\(path(collection)).@count"
    case .count(let collection, let inner):
      let way = path(collection)
      depth += 1
      defer { depth -= 1 }
      return "SUBQUERY(\(way), $x\(depth), \(write(inner))).@count"
    case .aggregate(let aggregate, let member, of: let collection):
      let inner = steps(member)
      return "\(path(collection)).\(sign(aggregate))\(inner.isEmpty ? "" : ".\(inner)")"
    case .computed(let left, let operation, let right):
      return "(\(side(left, prefix)) \(operation.rawValue) \(side(right, prefix)))"
    }
  }

  // MARK: Collections

  private mutating func exists(_ collection: PropertyPath, _ inner: Predicate) -> String {
    if let (prefix, leaf, levels) = element(collection, inner) {
      depth += levels
      defer { depth -= levels }
      return "(ANY \(self.leaf(leaf, prefix: prefix)))"
    }
    let count = side(.count(collection, inner), nil)
    return "(\(count) > 0)"
  }

  /// Returns the condition as `ANY` can express it: one comparison of something about the innermost
  /// element.
  private func element(
    _ collection: PropertyPath, _ inner: Predicate
  ) -> (prefix: String, leaf: Predicate, levels: Int)? {
    var prefix = path(collection)
    if isMap(collection), !speaksOfKey(inner) { prefix += ".@allValues" }
    switch inner {
    case .exists(let next, let further) where next.scope == collection.scope + 1:
      guard let found = element(next, further) else { return nil }
      let way = steps(next)
      let rest = found.prefix.dropFirst(path(next).count)
      return (joined(prefix, way) + rest, found.leaf, found.levels + 1)
    case .comparison(.path(let own), _, let right), .text(.path(let own), _, _, let right):
      guard own.scope == collection.scope + 1, right.paths.isEmpty else { return nil }
      return (prefix, inner, 1)
    case .contained(.path(let own), _):
      return own.scope == collection.scope + 1 ? (prefix, inner, 1) : nil
    case .always, .never, .all, .any, .not, .exists, .comparison, .text, .contained, .linked:
      return nil
    }
  }

  private func isMap(_ collection: PropertyPath) -> Bool {
    collection.property?.collection == .map
  }

  private func speaksOfKey(_ predicate: Predicate) -> Bool {
    predicate.paths.contains(where: \.isEntryKey)
  }

  // MARK: Paths

  private func path(_ path: PropertyPath) -> String {
    let steps = steps(path)
    if path.scope == 0 { return steps.isEmpty ? "SELF" : steps }
    return joined("$x\(path.scope)", steps)
  }

  private func joined(_ first: String, _ second: String) -> String {
    second.isEmpty ? first : second.hasPrefix("[") ? first + second : "\(first).\(second)"
  }

  private func steps(_ path: PropertyPath) -> String {
    var text = ""
    for step in path.steps {
      switch step {
      case .property(let property):
        // A name that is a word of the language, too, has the sign before it.
        let isWord = PredicateKeyword(ArraySlice(property.name.utf8)) != nil
        text = joined(text, (isWord ? "#" : "") + property.name, isFirst: text.isEmpty)
      case .entry(let key): text += "['\(key.replacing("'", with: "\\'"))']"
      case .index(let index): text += "[\(index)]"
      case .wildcard: text += "[#any]"
      case .origins(let property):
        let owner = classes[property.owner]?.name ?? "?"
        text = joined(text, "@links.\(owner).\(property.name)", isFirst: text.isEmpty)
      }
    }
    return path.isEntryKey ? joined(text, "@allKeys", isFirst: text.isEmpty) : text
  }

  private func joined(_ first: String, _ second: String, isFirst: Bool) -> String {
    isFirst ? second : "\(first).\(second)"
  }

  // MARK: Signs

  private func sign(_ comparator: Predicate.Comparator) -> String {
    switch comparator {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  private func sign(_ match: Predicate.TextMatch) -> String {
    switch match {
    case .prefix: "BEGINSWITH"
    case .suffix: "ENDSWITH"
    case .infix: "CONTAINS"
    case .equal: "=="
    case .pattern: "LIKE"
    case .search: "TEXT"
    }
  }

  private func sign(_ options: Predicate.TextOptions) -> String {
    let letters =
      (options.contains(.ignoresCase) ? "c" : "")
      + (options.contains(.ignoresDiacritics) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }

  private func sign(_ aggregate: Predicate.Aggregate) -> String {
    switch aggregate {
    case .minimum: "@min"
    case .maximum: "@max"
    case .sum: "@sum"
    case .average: "@avg"
    }
  }
}

extension Predicate.Expression {
  fileprivate var isShape: Bool { if case .shape = self { true } else { false } }
}
