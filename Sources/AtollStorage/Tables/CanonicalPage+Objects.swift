import AtollChanges
import AtollLog
import AtollVocabulary

// Making canonical objects from the rows of a page; the file is not read again.
extension CanonicalPage {
  /// An object of the page; nil if there is none with this row id.
  func object(_ id: Int64, of entry: ClassEntry) throws -> CanonicalObject? {
    guard let row = row(id) else { return nil }
    return CanonicalObject(
      key: row.key, generation: row.generation, cells: try cells(entry.table.canonicalTop, row))
  }

  /// Returns the content of one cell of a row; nil for a collection of which nothing is known.
  func content(of node: FieldNode, row id: Int64) throws -> CanonicalObject.Content? {
    guard let row = row(id) else { return nil }
    guard case .collection(let kind) = node.kind else { return try content(node, row) }
    return try contents(of: node, kind, row)
  }

  // MARK: Cells

  private func cells(
    _ nodes: [FieldNode], _ row: CanonicalRow
  ) throws -> [CanonicalObject.Cell] {
    var cells: [CanonicalObject.Cell] = []
    for node in nodes {
      if let cell = try cell(node, row) { cells.append(cell) }
    }
    return cells
  }

  private func cell(_ node: FieldNode, _ row: CanonicalRow) throws -> CanonicalObject.Cell? {
    let target = node.property.target.flatMap { tables.catalog.entry($0) }
    if case .collection(let kind) = node.kind {
      guard let content = try contents(of: node, kind, row) else { return nil }
      return CanonicalObject.Cell(
        property: node.property, target: target, order: nil, steps: 0, content: content)
    }
    let order = try row.state.order(of: node).map { try tables.order($0) }
    let steps = row.state.steps(of: node)
    guard order != nil || steps != 0 else { return nil }
    return CanonicalObject.Cell(
      property: node.property, target: target, order: order, steps: steps,
      content: try content(node, row))
  }

  private func content(
    _ node: FieldNode, _ row: CanonicalRow
  ) throws -> CanonicalObject.Content {
    switch row.values[node.ordinal] {
    case .scalar(let value): return node.isSlot ? .embedded(nil) : .scalar(value)
    case .link(let target, let id): return try link(target, id.rawValue)
    case .embedded: return .embedded(try cells(node.canonicalChildren, row))
    case .collection(let kind): return try contents(of: node, kind, row) ?? empty(kind)
    }
  }

  private func empty(_ kind: CollectionKind) -> CanonicalObject.Content {
    switch kind {
    case .none, .list: .list([])
    case .set: .set([])
    case .map: .map([])
    }
  }

  private func link(_ target: ClassID, _ id: Int64) throws -> CanonicalObject.Content {
    let entry = try tables.entry(target)
    guard let found = identity(of: id, target) else {
      throw StorageError.damaged(
        path: tables.path, detail: "a link to \(entry.name) leads to the unknown row \(id)")
    }
    return .link(entry, key: found.key, generation: found.generation, isAlive: found.isAlive)
  }

  // MARK: Collections

  /// Returns the contents of a row's collection; nil if nothing of it is known.
  private func contents(
    of node: FieldNode, _ kind: CollectionKind, _ row: CanonicalRow
  ) throws -> CanonicalObject.Content? {
    guard let table = node.elements, let value = table.value else { return nil }
    let held = elements(of: node.owner(of: row.id), in: table)
    switch kind {
    case .none: return nil
    case .list:
      let elements = try elements(held, value)
      return elements.isEmpty ? nil : .list(elements)
    case .set:
      let members = try members(held, value)
      return members.isEmpty ? nil : .set(members)
    case .map:
      let entries = try entries(held, value)
      return entries.isEmpty ? nil : .map(entries)
    }
  }

  private func elements(
    _ held: [CanonicalRow], _ value: FieldNode
  ) throws -> [CanonicalObject.Element] {
    var elements: [CanonicalObject.Element] = []
    elements.reserveCapacity(held.count)
    for row in held {
      guard let cell = try cell(value, row), let author = tables.authors[row.state.base.author]
      else { continue }
      elements.append(
        CanonicalObject.Element(
          identity: ChangeIdentity(
            author: author.author, sequence: row.sequence, index: row.state.base.index),
          position: PositionKey(bytes: row.place),
          positionOrder: try tables.order(row.state.positionOrder), value: cell,
          isVisible: cell.content.isVisible(in: cell.property.type, .list)))
    }
    return elements.sorted { ($0.position, $0.identity) < ($1.position, $1.identity) }
  }

  private func members(
    _ held: [CanonicalRow], _ value: FieldNode
  ) throws -> [CanonicalObject.Member] {
    var members: [(identity: [UInt8], member: CanonicalObject.Member)] = []
    for row in held {
      let content = try content(value, row)
      let identity =
        if case .link(let target, let key, let generation, _) = content {
          MemberIdentity.bytes(target, key: key, generation: generation)
        } else {
          row.place
        }
      let order = CellStamp(isAssigned: true, stamp: row.state.base)
      let member = CanonicalObject.Member(
        order: try tables.order(order), isHeld: !row.isRemoved,
        isVisible: content.isVisible(in: value.property.type, .set), content: content)
      members.append((identity, member))
    }
    return members.sorted { $0.identity.lexicographicallyPrecedes($1.identity) }.map(\.member)
  }

  private func entries(
    _ held: [CanonicalRow], _ value: FieldNode
  ) throws -> [CanonicalObject.Entry] {
    try held.map { row in
      let order = CellStamp(isAssigned: true, stamp: row.state.base)
      return CanonicalObject.Entry(
        key: String(decoding: row.place, as: UTF8.self), order: try tables.order(order),
        value: row.isRemoved ? nil : try cell(value, row))
    }
  }
}
