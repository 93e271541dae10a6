// The text of results and collections for `print`: their elements, one a line, objects with their
// values. At most 100 elements are read, and 1,000 objects in all, so that a slip of the pen in a
// debugger does not read a store.

extension Results: CustomStringConvertible {
  /// The class and the first 100 objects, with what they hold.
  public var description: String {
    ObjectText.lines(of: "Results<\(table.model.name)>", self) { $0.object($1, depth: 0) }
  }
}

extension LinkingObjects: CustomStringConvertible {
  /// The class and the first 100 objects, with what they hold.
  public var description: String {
    ObjectText.lines(of: "LinkingObjects<\(Element.self)>", self) { $0.object($1, depth: 0) }
  }
}

extension ValueResults: CustomStringConvertible {
  /// The type and the first 100 values.
  public var description: String {
    ObjectText.lines(of: "ValueResults<\(Element.self)>", self) { $0.any($1) }
  }
}

extension ProjectedResults: CustomStringConvertible {
  /// The type and the first 100 projections, with what they project.
  public var description: String {
    ObjectText.lines(of: "ProjectedResults<\(Element.self)>", self) { "\($1)" }
  }
}

extension ProjectedCollection: CustomStringConvertible {
  /// The type and the first 100 values.
  public var description: String {
    ObjectText.lines(of: "ProjectedCollection<\(Value.self)>", self) { $0.any($1) }
  }
}

extension SectionedResults: CustomStringConvertible {
  /// The types and the first 100 sections with their objects.
  public var description: String {
    var text = ObjectText()
    let lines = prefix(ObjectText.maximumElements).map { "[\($0.key)] \(text.section($0))" }
    return
      "SectionedResults<\(Key.self), \(results.name)> \(text.lined(lines, of: count, "(", ")"))"
  }
}

extension ResultsSection: CustomStringConvertible {
  /// The key and the first 100 objects, with what they hold.
  public var description: String {
    var text = ObjectText()
    return "ResultsSection<\(Key.self), \(Element.self)> [\(key)] \(text.section(self))"
  }
}

extension List: CustomStringConvertible {
  /// The type and the first 100 elements, objects with what they hold.
  public var description: String {
    ObjectText.text(of: "List<\(Element.self)>", self) { $0.list(snapshot, -1) }
  }
}

extension MutableSet: CustomStringConvertible {
  /// The type and the first 100 elements, objects with what they hold.
  public var description: String {
    ObjectText.text(of: "MutableSet<\(Element.self)>", self) { $0.list(snapshot, -1) }
  }
}

extension Map: CustomStringConvertible {
  /// The types and the first 100 entries, objects with what they hold.
  public var description: String {
    ObjectText.text(of: "Map<\(Key.self), \(Value.self)>", self) { $0.map(snapshot, -1) }
  }
}

extension ObjectText {
  /// The name of a type and its elements.
  fileprivate static func lines<Elements: RandomAccessCollection>(
    of type: String, _ elements: Elements,
    _ text: (inout ObjectText, Elements.Element) -> String
  ) -> String {
    var graph = ObjectText()
    return "\(type) \(graph.lines(elements, text))"
  }

  /// The name of a type and its elements; that it is gone where it is.
  fileprivate static func text(
    of type: String, _ collection: CollectionBase, _ body: (inout ObjectText) -> String
  ) -> String {
    if collection.isInvalidated { return "\(type) [invalidated]" }
    var graph = ObjectText()
    return "\(type) \(body(&graph))"
  }

  fileprivate mutating func section(_ objects: ResultsSection<some Hashable, some Object>) -> String
  {
    lines(objects) { $0.object($1, depth: 0) }
  }

  private mutating func lines<Elements: RandomAccessCollection>(
    _ elements: Elements, _ text: (inout ObjectText, Elements.Element) -> String
  ) -> String {
    var lines: [String] = []
    for (index, element) in elements.prefix(Self.maximumElements).enumerated() {
      lines.append("[\(index)] \(text(&self, element))")
    }
    return lined(lines, of: elements.count, "(", ")")
  }

  /// A value of the application's type.
  fileprivate mutating func any(_ value: Any) -> String {
    guard let value = unwrapped(value) else { return "nil" }
    return (value as? ObjectBase).map { object($0, depth: 0) } ?? "\(value)"
  }
}
