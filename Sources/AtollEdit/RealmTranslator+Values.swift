import AtollStorage
import AtollVocabulary

// Values by the types of their properties.
extension RealmTranslator {
  /// The object whose values are read, for the report.
  typealias Owner = StoredClass

  /// Returns the value of a property, a collection as a whole.
  mutating func value(
    _ node: RealmNode, _ property: StoredProperty, _ owner: Owner, _ depth: Int
  ) throws -> JSONValue {
    if node.value == .null { return .null }
    switch property.collection {
    case .none: return try single(node, property, depth)
    case .list, .set:
      guard let elements = Self.elements(node.value) else {
        throw Omission(
          .mismatch, "found \(node.value.kind), expected a \(property.collection.name)")
      }
      return .array(
        try elements.compactMap { element in
          try kept(owner, property) { translator in
            let inner = try translator.node(element)
            if inner.value == .null, [.link, .embedded].contains(property.type) {
              throw Omission(.mismatch, "found null in a \(property.collection.name) of objects")
            }
            return try translator.single(inner, property, depth)
          }
        })
    case .map:
      return .object(
        try members(of: node).compactMap { member in
          try kept(owner, property) { translator in
            try Self.checkKey(member.name)
            return JSONValue.Member(
              name: member.name,
              value: try translator.single(try translator.node(member.value), property, depth))
          }
        })
    }
  }

  /// One element, or nil if it does not fit: then the report has it.
  private mutating func kept<Value>(
    _ owner: Owner, _ property: StoredProperty, _ body: (inout RealmTranslator) throws -> Value
  ) throws -> Value? {
    do {
      return try body(&self)
    } catch {
      try tolerate(error, owner.name, property.name)
      return nil
    }
  }

  private static func checkKey(_ key: String) throws {
    guard key.utf8.count > Limits.keyBytes else { return }
    throw Omission(.tooLarge, "a key of more than \(Limits.keyBytes) bytes")
  }

  /// The elements of an array, or of `{"0":…,"1":…}`, as realm-js wrote lists before version 6.1.
  private static func elements(_ value: JSONValue) -> [JSONValue]? {
    switch value {
    case .array(let elements): elements
    case .object(let members) where members.enumerated().allSatisfy({ "\($0)" == $1.name }):
      members.map(\.value)
    case .object, .null, .bool, .number, .string: nil
    }
  }

  private mutating func single(
    _ node: RealmNode, _ property: StoredProperty, _ depth: Int
  ) throws -> JSONValue {
    if node.value == .null { return .null }
    switch property.type {
    case .link:
      guard let target = classes.first(where: { $0.id == property.target }) else { return .null }
      return try link(node, target)
    case .embedded:
      guard let target = classes.first(where: { $0.id == property.target }) else { return .null }
      try Self.checkDepth(depth)
      return .object(try translation(of: try members(of: node), target, depth: depth + 1))
    case .any: return try anything(node, property, depth)
    case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .identity, .decimal:
      if property.type == .data, node.value == .object([]) {
        throw Omission(.noBytes, "found {}")
      }
      recordRounding(of: node.value, property)
      return try RealmScalar.value(
        try form.whole(node.value), property.type, named: property.name)
    }
  }

  private static func checkDepth(_ depth: Int) throws {
    guard depth >= Limits.nestingDepth else { return }
    throw Omission(.tooLarge, "deeper than \(Limits.nestingDepth) levels")
  }

  /// Counts whole numbers that JavaScript cannot tell from their neighbours.
  private mutating func recordRounding(of value: JSONValue, _ property: StoredProperty) {
    guard case .number(let text) = value, let number = Int64(text), number.magnitude > 1 << 53,
      [.int, .any].contains(property.type)
    else { return }
    countCase(.beyond53Bits, owner(of: property), property.name, text)
  }

  private func owner(of property: StoredProperty) -> String {
    classes.first { $0.id == property.owner }?.name ?? ""
  }

  // MARK: Links

  private mutating func link(_ node: RealmNode, _ target: StoredClass) throws -> JSONValue {
    guard case .object(let members) = node.value, !members.isEmpty else {
      return link(target, try bareKey(node, target))
    }
    guard members.isExtended, members.text("$refId") == nil || members.count == 1 else {
      return try link(toGiven: node, target)
    }
    let inner = try form.whole(node.value)
    if members.contains(where: { $0.name == "$id" }) { return try typedLink(inner, target) }
    if case .string(let reference)? = inner["$ref"], members.count == 1 {
      return try link(reference: reference, target)
    }
    return link(target, try bareKey(node, target))
  }

  private mutating func bareKey(_ node: RealmNode, _ target: StoredClass) throws -> JSONValue {
    guard target.keyType != .identity else {
      throw Omission(
        .mismatch,
        "found \(node.value.kind), expected an object in full: \(target.name) has no primary key")
    }
    do {
      return try key(node, target)
    } catch let omission as Omission {
      throw Omission(.mismatch, "as the key of a \(target.name): \(omission.text)")
    }
  }

  /// `{"$ref":"Dog","$id":7}`, a link that says the class and the key.
  private mutating func typedLink(
    _ value: JSONValue, _ target: StoredClass? = nil
  ) throws -> JSONValue {
    guard case .string(let name)? = value["$ref"], let id = value["$id"],
      let found = classes.first(where: { $0.name == name && !$0.isEmbedded }),
      target == nil || target?.id == found.id
    else {
      throw Omission(.mismatch, "found \(value.text.prefix(60)), expected a link to a known class")
    }
    // All of it is here already: it has no indices any more.
    let form = self.form
    self.form = RealmForm()
    defer { self.form = form }
    return link(found, try bareKey(RealmNode(value: id), found))
  }

  // MARK: Any-typed values

  private mutating func anything(
    _ node: RealmNode, _ property: StoredProperty, _ depth: Int
  ) throws -> JSONValue {
    switch node.value {
    case .null, .bool: return node.value
    case .string(let text):
      if RealmScalar.looksTyped(text) {
        countCase(.looksTyped, owner(of: property), property.name, "\"\(text)\"")
      }
      return node.value
    case .number:
      recordRounding(of: node.value, property)
      return try RealmScalar.number(node.value, named: property.name)
    case .array(let elements):
      try Self.checkDepth(depth)
      return .array(
        try elements.map { try anything(try self.node($0), property, depth + 1) })
    case .object: return try anyObject(node, property, depth)
    }
  }

  private mutating func anyObject(
    _ node: RealmNode, _ property: StoredProperty, _ depth: Int
  ) throws -> JSONValue {
    let members = try members(of: node)
    if let reference = members.text("$refId"), let target = subject(ofReference: reference) {
      return try link(toGiven: node, target)
    }
    if members.isExtended {
      let inner = try form.whole(node.value)
      if members.contains(where: { $0.name == "$id" }) { return try typedLink(inner) }
      if case .string(let reference)? = inner["$ref"], members.count == 1 {
        if let link = references[reference] { return link }
        guard let target = subject(ofReference: reference) else {
          throw Omission(.unknownReference, "\"\(reference)\"")
        }
        return try link(reference: reference, target)
      }
      return try RealmScalar.typed(inner, named: property.name)
    }
    try Self.checkDepth(depth)
    countCase(.takenAsMap, owner(of: property), property.name)
    let entries = try members.map { member in
      try Self.checkKey(member.name)
      return JSONValue.Member(
        name: member.name, value: try anything(try self.node(member.value), property, depth + 1))
    }
    return .object([.init(name: "map", value: .object(entries))])
  }

  /// The class whose name a `$refId` begins with; the longest, where several do.
  private func subject(ofReference reference: String) -> StoredClass? {
    classes.filter { !$0.isEmbedded && reference.hasPrefix($0.name) }
      .max { $0.name.utf8.count < $1.name.utf8.count }
  }
}
