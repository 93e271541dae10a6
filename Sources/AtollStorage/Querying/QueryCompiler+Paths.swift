import AtollQuery
import AtollVocabulary

// From paths to columns: joins for what is one, scopes for what are many.
extension QueryCompiler {
  /// The place that a path has reached.
  private struct Place {
    var table: CellTable
    var alias: String
    /// Nil at an object itself.
    var node: FieldNode?
  }

  // MARK: Scopes

  /// The level of the queried rows.
  mutating func rootScope(_ query: StoreQuery) throws -> QueryScope {
    guard let collection = query.collection else {
      return QueryScope(objects: try schema.objects(query.source), alias: "t")
    }
    guard let found = schema.collection, let node = found.table.value else {
      // The owner of the collection is not there any more.
      var scope = QueryScope(objects: try schema.objects(collection.owner), alias: "t")
      scope.conditions = ["0"]
      return scope
    }
    let elements = found.table
    guard case .link(let target) = node.kind, let entry = schema.entry(target) else {
      var scope = QueryScope(elements: elements, alias: "e", owner: bind(.owner))
      if let layout = elements.elementLayout() { scope.elementColumns = "e._id, \(layout.columns)" }
      return scope
    }
    var scope = QueryScope(objects: entry.table, alias: "t")
    scope.from = "\(elements.sql) e JOIN \(entry.table.sql) t ON t._id = e.\(node.sql)"
    scope.conditions = ["e._owner = \(bind(.owner))", "e._removed = 0"]
    scope.row = "e._id"
    scope.order = elements.elementOrder("e")
    return scope
  }

  /// The level of a collection's elements, inside the scopes there are.
  private mutating func elementScope(
    _ collection: PropertyPath, isWhole: Bool
  ) throws -> QueryScope {
    var way = collection
    guard let last = way.steps.popLast() else { throw missing(collection) }
    let place = try entered(try place(of: way), way)
    switch last {
    case .property(let property):
      guard let node = child(property, of: place), node.isCollection, let elements = node.elements
      else { throw missing(collection) }
      return QueryScope(
        elements: elements, alias: alias(), owner: "\(place.alias)._id", isWhole: isWhole)
    case .wildcard:
      guard let node = place.node, node.isAny, let elements = node.elements else {
        throw missing(collection)
      }
      return QueryScope(elements: elements, alias: alias(), owner: owner(node, place.alias))
    case .origins(let property):
      return try originScope(property, of: place, collection)
    case .entry, .index: throw missing(collection)
    }
  }

  /// Returns the key by which elements of the row's node name it as their owner.
  private func owner(_ node: FieldNode, _ alias: String) -> String {
    node.table.kind == .nested ? "-\(alias)._id" : "\(alias)._id"
  }

  /// The objects that link to the row at a place, or embed what is there.
  private mutating func originScope(
    _ property: StoredProperty, of place: Place, _ path: PropertyPath
  ) throws -> QueryScope {
    guard let entry = schema.entry(property.owner), !entry.isEmbedded,
      let node = Self.node(property, nil, entry.table)
    else { throw missing(path) }
    var scope = QueryScope(objects: entry.table, alias: alias())
    if property.type == .embedded {
      scope.conditions = [Self.owner(of: place, by: node).map { "\(scope.id) = \($0)" } ?? "0"]
      return scope
    }
    // A class that has the linking objects from one above is not what the links lead to.
    guard place.node == nil, place.table.owner.id == property.target else {
      scope.conditions = ["0"]
      return scope
    }
    let target = "\(place.alias)._id"
    guard let elements = node.elements, let value = elements.value else {
      scope.conditions = ["\(scope.alias).\(node.sql) = \(target)"]
      return scope
    }
    let element = alias()
    scope.from += " JOIN \(elements.sql) \(element) ON \(element)._owner = \(scope.alias)._id"
    scope.conditions = ["\(element).\(value.sql) = \(target)", "\(element)._removed = 0"]
    return scope
  }

  /// The object that has at `node` what is embedded at a place; nil if it is not there.
  private static func owner(of place: Place, by node: FieldNode) -> String? {
    if place.node === node { return "\(place.alias)._id" }
    guard place.table.holder === node, place.node?.parent == nil else { return nil }
    return "\(place.alias)._owner"
  }

  /// `SELECT` what `body` says of each element that satisfies the condition.
  mutating func subselect(
    _ collection: PropertyPath, _ predicate: Predicate,
    _ body: (inout QueryCompiler) throws -> String
  ) throws -> String {
    guard scopes.count <= Limits.collectionDepth else {
      throw StorageError.tooLarge(
        what: "collections inside one another in a query", size: scopes.count,
        limit: Limits.collectionDepth)
    }
    return try select(
      from: try elementScope(collection, isWhole: predicate.isOfLinks), predicate, body)
  }

  private mutating func select(
    from scope: QueryScope, _ predicate: Predicate,
    _ body: (inout QueryCompiler) throws -> String
  ) throws -> String {
    scopes.append(scope)
    let selected = try body(&self)
    let condition = try condition(predicate)
    let scope = scopes.removeLast()
    let conditions = scope.conditions + (condition == "1" ? [] : [condition])
    return """
      SELECT \(selected) FROM \(scope.from)\(scope.joins.joined()) \
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// `SELECT` the objects that have some others in a collection, found by where links lead.
  ///
  /// Nil where the condition asks something else, there is no such index, or few rows are asked anyway.
  mutating func owners(_ collection: PropertyPath, _ predicate: Predicate) throws -> String? {
    guard scopes.count == 1, !isOfRows, predicate.isOfElement, collection.scope == 0,
      collection.steps.count == 1, let property = collection.property, property.type == .link,
      schema.has(.value, on: property.id), let elements = elements(of: property)
    else { return nil }
    let scope = QueryScope(
      elements: elements, alias: alias(), owner: nil, isWhole: predicate.isOfLinks)
    return try select(from: scope, predicate) { "\($0.scopes[1].alias)._owner" }
  }

  private func elements(of property: StoredProperty) -> CellTable? {
    let root = Place(table: scopes[0].table, alias: scopes[0].alias, node: scopes[0].node)
    return child(property, of: root)?.elements
  }

  // MARK: Values

  mutating func value(_ path: PropertyPath) throws -> QueryValue {
    var way = path
    if case .property(let property)? = way.steps.last, property.isKey {
      way.steps.removeLast()
      let place = try entered(try place(of: way), way)
      guard place.node == nil else { throw missing(path) }
      let sql = "\(place.alias).\(place.table.keySQL)"
      return QueryValue(sql: sql, raw: sql, type: place.table.owner.keyType)
    }
    let place = try place(of: path)
    if path.isEntryKey {
      let sql = "\(place.alias)._key"
      return QueryValue(sql: sql, raw: sql, type: .string)
    }
    guard let node = place.node else {
      let sql = "\(place.alias)._id"
      return QueryValue(sql: sql, raw: sql, type: .link, target: place.table.owner.id)
    }
    guard !node.isCollection else { throw missing(path) }
    return value(node, place.alias)
  }

  /// The key of the object that a link leads to.
  mutating func keyOfTarget(_ link: PropertyPath) throws -> String {
    let target = try entered(try place(of: link), link)
    return "\(target.alias).\(target.table.keySQL)"
  }

  private func value(_ node: FieldNode, _ alias: String) -> QueryValue {
    let target: ClassID? = if case .link(let target) = node.kind { target } else { nil }
    let raw = "\(alias).\(node.sql)"
    return QueryValue(
      sql: node.isPlain ? raw : node.table.columnValue(node, alias), raw: raw,
      type: node.kind.columnType, target: target,
      tag: node.isAny ? "\(alias).\(node.typeSQL)" : nil)
  }

  // MARK: Ways

  private mutating func place(of path: PropertyPath) throws -> Place {
    guard scopes.indices.contains(path.scope) else { throw missing(path) }
    let scope = scopes[path.scope]
    var place = Place(table: scope.table, alias: scope.alias, node: scope.node)
    var way = PropertyPath(scope: path.scope)
    for step in path.steps {
      switch step {
      case .property(let property):
        place = try entered(place, way)
        guard let node = child(property, of: place) else { throw missing(path) }
        place.node = node
      case .entry(let key):
        guard let node = place.node, let elements = node.elements else { throw missing(path) }
        place = entry(key, of: elements, owner(node, place.alias), way.appending(step))
      case .index(let index):
        guard let node = place.node, let elements = node.elements,
          node.isAny || elements.kind == .elements(.list)
        else { throw missing(path) }
        place = element(index, of: elements, owner(node, place.alias), way.appending(step))
      case .origins, .wildcard: throw missing(path)
      }
      way.steps.append(step)
    }
    return place
  }

  /// The object itself where the way has come to a link.
  private mutating func entered(_ place: Place, _ way: PropertyPath) throws -> Place {
    guard let node = place.node, case .link(let target) = node.kind else {
      return openedUp(place, way)
    }
    guard let entry = schema.entry(target) else { throw missing(way) }
    // The place itself may be a join already: the mark keeps its target apart.
    let alias = join(way.appending(.wildcard)) { alias in
      "\(entry.table.sql) \(alias) ON \(alias)._id = \(place.alias).\(node.sql)"
    }
    return Place(table: entry.table, alias: alias, node: nil)
  }

  /// A level of a class inside itself that no value goes down to yet: as an outer level is, without rows.
  private mutating func openedUp(_ place: Place, _ way: PropertyPath) -> Place {
    guard let node = place.node, case .presence(let target) = node.kind, node.children.isEmpty,
      let outer = node.around?.outer(of: target)
    else { return place }
    let alias = join(way.appending(.wildcard)) { "\(outer.table.sql) \($0) ON 0" }
    return Place(table: outer.table, alias: alias, node: outer)
  }

  private mutating func entry(
    _ key: String, of elements: CellTable, _ owner: String, _ way: PropertyPath
  ) -> Place {
    let isKnown = scopes[way.scope].aliases[way.steps] != nil
    let parameter = isKnown ? "" : bind(.key(key))
    let alias = join(way) { alias in
      """
      \(elements.sql) \(alias) ON \(alias)._owner = \(owner) \
      AND \(alias)._key = \(parameter) AND \(alias)._removed = 0
      """
    }
    return Place(table: elements, alias: alias, node: elements.value)
  }

  /// The element of a list by its index, from the end where that is negative.
  private mutating func element(
    _ index: Int, of elements: CellTable, _ owner: String, _ way: PropertyPath
  ) -> Place {
    let order = index < 0 ? " DESC" : ""
    let visibility = elements.visibility("x")
    let alias = join(way) { alias in
      """
      \(elements.sql) \(alias) ON \(alias)._id = (SELECT _id FROM \(elements.sql) x \
      WHERE _owner = \(owner) AND _removed = 0 AND _position IS NOT NULL\(visibility) \
      ORDER BY _position\(order), _id\(order) LIMIT 1 OFFSET \(index < 0 ? -(index + 1) : index))
      """
    }
    return Place(table: elements, alias: alias, node: elements.value)
  }

  private mutating func join(_ way: PropertyPath, _ table: (String) -> String) -> String {
    if let alias = scopes[way.scope].aliases[way.steps] { return alias }
    let alias = alias()
    scopes[way.scope].aliases[way.steps] = alias
    scopes[way.scope].joins.append(" LEFT JOIN \(table(alias))")
    return alias
  }

  private func child(_ property: StoredProperty, of place: Place) -> FieldNode? {
    if let node = place.node, case .link = node.kind { return nil }
    return Self.node(property, place.node, place.table)
  }

  private static func node(
    _ property: StoredProperty, _ level: FieldNode?, _ table: CellTable
  ) -> FieldNode? {
    let found =
      level.map { $0.child(at: property.position) }
      ?? (table.top.indices.contains(property.position) ? table.top[property.position] : nil)
    return found?.property.id == property.id ? found : nil
  }

  private func missing(_ path: PropertyPath) -> StorageError {
    let root = scopes.first?.table.owner.name ?? ""
    return StorageError.noSuchProperty(class: root, property: path.text)
  }
}

extension Predicate {
  /// True if links are asked where they lead, be it alive or not.
  fileprivate var isOfLinks: Bool {
    if case .linked(let path, _) = self { path.steps.isEmpty } else { false }
  }

  /// True if it asks if an element of the outermost collection is one of some objects.
  fileprivate var isOfElement: Bool {
    let element = PropertyPath(scope: 1)
    switch self {
    case .linked(element, _), .comparison(.path(element), .equal, .object),
      .comparison(.object, .equal, .path(element)):
      return true
    case .always, .never, .all, .any, .not, .comparison, .contained, .text, .linked, .exists:
      return false
    }
  }

  /// True if only some rows, which it names, can satisfy it.
  var isOfRows: Bool {
    switch self {
    case .all(let parts): parts.contains(where: \.isOfRows)
    case .contained(.path(let path), _): path == PropertyPath(scope: 0)
    case .always, .never, .any, .not, .comparison, .contained, .linked, .text, .exists: false
    }
  }
}
