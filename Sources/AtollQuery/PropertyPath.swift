package import AtollVocabulary

/// The path from an object to a value or a collection, through links and embedded objects.
package struct PropertyPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case property(StoredProperty)
    /// The value that the map, or the dictionary in an any-typed value, has under a key.
    case entry(String)
    /// The element that the list in an any-typed value has at an index; negative from the end.
    case index(Int)
    /// The objects that link to this one by a property of theirs: a collection.
    case origins(StoredProperty)
    /// The elements of the list or dictionary in an any-typed value: a collection.
    case wildcard
  }

  /// The scope in which the path begins: 0 at the queried object, n at the element of the n-th
  /// collection around.
  package var scope: Int
  /// None for the object or the element itself.
  package var steps: [Step]
  /// True where the key of a map's entry is meant, not its value.
  package var isEntryKey = false

  package init(_ steps: [StoredProperty], scope: Int = 0) {
    self.steps = steps.map { .property($0) }
    self.scope = scope
  }

  package init(_ steps: StoredProperty...) { self.init(steps) }

  package init(scope: Int, steps: [Step] = [], isEntryKey: Bool = false) {
    self.scope = scope
    self.steps = steps
    self.isEntryKey = isEntryKey
  }

  package func appending(_ step: Step) -> PropertyPath {
    var path = self
    path.steps.append(step)
    return path
  }

  /// The last step's property, if the path ends at one.
  package var property: StoredProperty? {
    if case .property(let property)? = steps.last { property } else { nil }
  }

  /// That what is embedded at the end of the path is what a row embeds at `steps`.
  package func isEmbedded(
    in row: RowID, of target: ClassID, at steps: [StoredProperty]
  ) -> Predicate {
    let own = steps.map { Step.property($0) }
    guard !own.isEmpty, self.steps.count >= own.count, self.steps.suffix(own.count) == own[...]
    else { return .never }
    let owner = PropertyPath(scope: scope, steps: Array(self.steps.dropLast(own.count)))
    return .comparison(owner, .equal, .object(row, of: target))
  }

  /// The links and embedded objects that the path leads through, outermost first.
  package var linksOnTheWay: [PropertyPath] {
    steps.indices.dropFirst().compactMap { length in
      let way = PropertyPath(scope: scope, steps: Array(steps[..<length]))
      guard let property = way.property, property.target != nil, property.collection == .none
      else { return nil }
      return way
    }
  }

  /// The classes that the path leads to or through.
  package var targets: [ClassID] {
    steps.compactMap { step in
      switch step {
      case .property(let property): property.target
      case .origins(let property): property.owner
      case .entry, .index, .wildcard: nil
      }
    }
  }
}

extension PropertyPath {
  /// The path as a predicate's text has it, without what it starts at.
  package var text: String {
    var text = ""
    for step in steps {
      switch step {
      case .property(let property): text += (text.isEmpty ? "" : ".") + property.name
      case .entry(let key): text += "['\(key)']"
      case .index(let index): text += "[\(index)]"
      case .origins(let property): text += (text.isEmpty ? "" : ".") + "@links.\(property.name)"
      case .wildcard: text += "[*]"
      }
    }
    if isEntryKey { text += (text.isEmpty ? "" : ".") + "@allKeys" }
    return text.isEmpty ? "SELF" : text
  }
}
