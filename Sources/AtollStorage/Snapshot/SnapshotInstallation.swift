import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// A snapshot that is not one this file can begin with, and why.
struct SnapshotRefusal: Error {
  var reason: String
}

/// Puts the rows of a snapshot into the empty tables of a file, inside its open transaction.
///
/// Rows keep the numbers that the snapshot gives them, moved up for objects by what the file has
/// given already, so that no row id stands for two objects.
struct SnapshotInstallation {
  private let store: StoreFile
  private let head: SnapshotHead
  private let classes: [ClassEntry]
  private let tables: [CellTable]
  private let nodes: [[FieldNode]]
  /// The head's authors as the file has them; one of several histories is divided at its forks.
  private let authors: [[StoreFile.Segment]]
  /// True if rows get the names that divided histories have here, and not those that the head gives them.
  private let isDivided: Bool
  /// Divided histories by the names that the head gives them.
  private let divided: [Author: [StoreFile.Segment]]
  /// By class.
  private let offsets: [Int64]
  private var last: [Int64]
  /// By class, what is not taken, and counts in a digest of an earlier build.
  private var passedOver: [StateDigest]
  /// Rows of one table that will make one statement.
  private var pending: [SnapshotRow] = []

  /// The head's classes and properties must be in the file, and its authors.
  init(_ head: SnapshotHead, into store: StoreFile, isDivided: Bool) throws {
    self.store = store
    self.head = head
    self.isDivided = isDivided
    classes = try head.classes.map { try store.catalog.entry($0.declaration) }
    let properties = try head.properties.map { try store.catalog.property($0, of: head) }
    authors = try head.authors.map { writer in
      let segments = store.segments(of: writer)
      // The file in which a checkpoint was made had an incarnation of its own, under which it wrote nothing.
      guard !segments.isEmpty || !writer.hasApplied else {
        throw SnapshotRefusal(reason: "\(writer.author) is not known")
      }
      return isDivided ? segments : Array(segments.prefix(1))
    }
    divided = Dictionary(
      zip(head.authors.map(\.author), authors).filter { $1.count > 1 }, uniquingKeysWith: { $1 })
    var tables: [CellTable] = []
    var nodes: [[FieldNode]] = []
    for table in head.tables {
      let (made, found) = try Self.table(table, nodes, classes, properties, store)
      tables.append(made)
      nodes.append(found)
    }
    (self.tables, self.nodes) = (tables, nodes)
    offsets = try classes.map { $0.isEmbedded ? 0 : try store.tables.nextID($0) - 1 }
    last = offsets
    passedOver = classes.map { _ in .zero }
  }

  private static func table(
    _ table: SnapshotHead.Table, _ nodes: [[FieldNode]], _ classes: [ClassEntry],
    _ properties: [StoredProperty], _ store: StoreFile
  ) throws -> (CellTable, [FieldNode]) {
    let made: CellTable?
    switch table.kind {
    case .objects(let number):
      made = classes[Int(number)].isEmbedded ? nil : classes[Int(number)].table
    case .held(let around, let node): made = nodes[Int(around)][Int(node)].elements
    }
    guard let made else { throw SnapshotRefusal(reason: "a table of nothing that holds rows") }
    var found: [FieldNode] = []
    for node in table.nodes {
      let property = properties[Int(node.property)]
      if made.isElements, node.parent == nil {
        guard let value = made.value, value.property == property else {
          throw SnapshotRefusal(reason: "elements of another property")
        }
        found.append(value)
      } else {
        let parent = node.parent.map { found[Int($0)] }
        found.append(try store.tables.child(property, of: parent, in: made))
      }
    }
    return (made, found)
  }

  mutating func install(_ record: SnapshotRecord) throws {
    switch record {
    case .head, .end: return
    case .row(let row):
      if pending.first.map({ $0.table != row.table }) ?? false { try installPending() }
      pending.append(row)
      let rows = try tables[Int(row.table)].insertSeveral().rows
      if pending.count == rows || row.hasLongValue { try installPending() }
    case .tombstone(let number, let key, let generation):
      let entry = try objects(number)
      try check(key, of: entry)
      guard entry.keyType != .identity else {
        passedOver[Int(number)] += DigestHasher.object(entry, key, generation)
        return
      }
      try store.tables.insertTombstone(entry, named(key), generation)
    case .placeholder(let number, let id, let key, let generation):
      let entry = try objects(number)
      try check(key, of: entry)
      let row = offset(id, number)
      try store.tables.insertPlaceholder(entry, named(key), generation, row)
      last[Int(number)] = max(last[Int(number)], row)
    }
  }

  /// After the last record: row ids go on from here, and the rows must be what the sender's were.
  mutating func finish() throws {
    try installPending()
    for (number, entry) in classes.enumerated() where !entry.isEmbedded {
      entry.nextID = last[number] + 1
      let digest = try store.tables.computedDigest(entry)
      let said = head.classes[number].digest
      guard
        try isDivided || said == digest
          || said == store.tables.computedDigest(entry, countingRemoved: true) + passedOver[number]
      else {
        throw SnapshotRefusal(
          reason: "the objects of \(entry.name) have the digest \(digest), and the sender's "
            + "\(said)")
      }
      store.tables.redigest(entry, plus: digest)
    }
  }

  // MARK: Rows

  private mutating func installPending() throws {
    guard let first = pending.first else { return }
    let table = tables[Int(first.table)]
    let several = try table.insertSeveral()
    if pending.count == several.rows {
      several.statement.clear()
      defer { several.statement.offset = 0 }
      for (number, row) in pending.enumerated() {
        several.statement.offset = Int32(number) * several.width
        try bind(row, in: table, to: several.statement)
      }
      try run(several.statement, on: table)
    } else {
      let statement = try table.insert()
      for row in pending {
        statement.clear()
        try bind(row, in: table, to: statement)
        try run(statement, on: table)
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func run(_ statement: Statement, on table: CellTable) throws {
    guard try statement.runUnlessConstrained() else {
      throw SnapshotRefusal(reason: "two rows of \(table.name) have one name")
    }
  }

  private mutating func bind(
    _ row: SnapshotRow, in table: CellTable, to statement: Statement
  ) throws {
    try checkTimes(of: row)
    let base = stamp(row.stamp)
    var state = RowState(base: base)
    for cell in row.cells {
      let node = nodes[Int(row.table)][Int(cell.node)]
      guard !node.isCollection else { throw SnapshotRefusal(reason: "a value for a collection") }
      adopt(cell, at: node, &state)
      try bind(cell.content, of: node, state, statement)
    }
    switch (row.subject, head.tables[Int(row.table)].kind) {
    case (.object(let key, let generation), .objects(let number)):
      try check(key, of: table.owner)
      let id = offset(row.id, number)
      last[Int(number)] = max(last[Int(number)], id)
      statement.bind(id, at: 1)
      statement.bind(named(key), at: 2)
      statement.bind(Int64(generation.rawValue), at: 3)
      store.transaction?.changes.insert(id, of: table.owner.id)
    case (.element(let element), .held(let around, _)):
      statement.bind(Int64(row.id), at: 1)
      try bind(element, in: table, around, row.cells, &state, statement)
    case (.object, .held), (.element, .objects):
      throw SnapshotRefusal(reason: "an element among objects, or the reverse")
    }
    statement.bind(base.time, at: 4)
    statement.bind(base.mark, at: 5)
    statement.bind(state.assigned, at: 6)
    statement.bind(state.recorded, at: 7)
    if !state.exceptions.isEmpty { statement.bind(state.exceptionBytes, at: 8) }
  }

  /// A cell's stamps; where this file's masks have no bit for it they are written apart.
  private func adopt(_ cell: SnapshotRow.Cell, at node: FieldNode, _ state: inout RowState) {
    if cell.isRecorded {
      if node.bit == 0 {
        let around = node.parent.flatMap { state.order(of: $0) }
        let own = CellStamp(isAssigned: cell.isAssigned, stamp: state.base)
        state.setOrder(around ?? own, at: node.ordinal, steps: 0)
      } else {
        state.recorded |= node.bit
        if cell.isAssigned { state.assigned |= node.bit }
      }
    }
    guard let apart = cell.apart else { return }
    let former = state.exception(node.ordinal)?.stamp
    state.removeException(node.ordinal)
    state.exceptions.append(
      RowState.Exception(
        ordinal: node.ordinal,
        stamp: apart.stamp.map { CellStamp(isAssigned: apart.isAssigned, stamp: stamp($0)) }
          ?? former,
        steps: apart.steps, hasSteps: apart.hasSteps))
  }

  private func bind(
    _ element: SnapshotRow.Element, in table: CellTable, _ around: UInt32,
    _ cells: [SnapshotRow.Cell], _ state: inout RowState, _ statement: Statement
  ) throws {
    statement.bind(try owner(of: element, in: table, around), at: 2)
    statement.bind(element.sequence.rawValue, at: 3)
    statement.bind(Int64(element.isRemoved ? 1 : 0), at: 9)
    switch (element.place, table.kind) {
    case (.listed(let position, let moved), .elements(.list)),
      (.listed(let position, let moved), .nested):
      statement.bind(position, at: 10)
      if let moved {
        let order = CellStamp(isAssigned: true, stamp: stamp(moved))
        state.setOrder(order, at: RowState.position, steps: 0)
      }
    case (.entry(let key), .elements(.map)): statement.bind(key, at: 10)
    case (.entry(let key), .nested): statement.bind(key, at: 11)
    case (.member, .elements(.set)): statement.bind(try identity(cells), at: 10)
    case (_, _): throw SnapshotRefusal(reason: "an element without its place")
    }
  }

  /// Objects have moved up, elements have not.
  private func owner(
    of element: SnapshotRow.Element, in table: CellTable, _ around: UInt32
  ) throws -> Int64 {
    if element.isInside {
      guard table.kind == .nested else {
        throw SnapshotRefusal(reason: "an element inside another of its table")
      }
      return -Int64(element.owner)
    }
    guard case .objects(let number) = head.tables[Int(around)].kind else {
      return Int64(element.owner)
    }
    return offset(element.owner, number)
  }

  private func identity(_ cells: [SnapshotRow.Cell]) throws -> [UInt8] {
    guard let cell = cells.first(where: { $0.node == 0 }) else {
      throw SnapshotRefusal(reason: "a member of a set without its value")
    }
    switch cell.content {
    case .scalar(let value): return MemberIdentity.bytes(value)
    case .link(let number, let id):
      return MemberIdentity.bytes(try objects(number).id, row: offset(id, number))
    case .embedded, .collection: throw SnapshotRefusal(reason: "a set of what it cannot hold")
    }
  }

  private func bind(
    _ content: SnapshotRow.Content, of node: FieldNode, _ state: RowState, _ statement: Statement
  ) throws {
    let index = node.parameter
    var tag: Int64?
    switch (content, node.kind) {
    case (.scalar(.null), _): break
    case (.scalar(let value), .scalar(let type)) where type == .any || value.type == type:
      statement.bind(value, at: index)
      tag = ValueTag.scalar(value)
    case (.link(let number, let id), .link(let target)) where try objects(number).id == target:
      statement.bind(offset(id, number), at: index)
    case (.link(let number, let id), .scalar(.any)):
      statement.bind(offset(id, number), at: index)
      tag = ValueTag.link(try objects(number).id)
    case (.embedded, .presence): statement.bind(instance(of: node, state), at: index)
    case (.collection(let kind), .scalar(.any)): tag = ValueTag.collection(kind)
    case (_, _): throw SnapshotRefusal(reason: "a value that \(node.name) cannot hold")
    }
    if let tag, node.isAny { statement.bind(tag, at: index + 1) }
  }

  private func instance(of node: FieldNode, _ state: RowState) -> Int64 {
    guard let order = state.order(of: node) else { return CellStamp.firstInstance }
    switch node.table.kind {
    case .elements(.set), .elements(.map): return order.instance
    case .objects, .elements, .nested, .layout: return order.instance(in: state)
    }
  }

  private func objects(_ number: UInt32) throws -> ClassEntry {
    let entry = classes[Int(number)]
    guard !entry.isEmbedded else { throw SnapshotRefusal(reason: "an embedded object by itself") }
    return entry
  }

  private func check(_ key: PersistedValue, of entry: ClassEntry) throws {
    guard key.type == nil || key.type == entry.keyType else {
      throw SnapshotRefusal(reason: "a key that \(entry.name) cannot have")
    }
  }

  private func offset(_ id: UInt64, _ number: UInt32) -> Int64 {
    Int64(truncatingIfNeeded: id) &+ offsets[Int(number)]
  }

  /// A stamp later than the head says would win over what is written for as long as its maker likes.
  private func checkTimes(of row: SnapshotRow) throws {
    var last = row.stamp.time
    if case .element(let element) = row.subject, case .listed(_, let moved?) = element.place {
      last = max(last, moved.time)
    }
    for cell in row.cells { if let stamp = cell.apart?.stamp { last = max(last, stamp.time) } }
    guard last <= head.time.rawValue else {
      throw SnapshotRefusal(reason: "a row of it has a later time than its head says")
    }
  }

  private func stamp(_ stamp: SnapshotRow.Stamp) -> LocalStamp {
    let segments = authors[Int(stamp.author)]
    let segment = segments.last { $0.began <= stamp.time } ?? segments.first
    return LocalStamp(
      time: HybridTime(rawValue: stamp.time), author: segment?.record.number ?? 0,
      index: stamp.index)
  }

  /// A key under the name that its author's history has here.
  private func named(_ key: PersistedValue) -> PersistedValue {
    guard !divided.isEmpty, case .identity(var identity) = key,
      let segment = divided[identity.author]?.last(where: { $0.first <= identity.sequence })
    else { return key }
    identity.author = segment.record.author
    return .identity(identity)
  }
}

extension Catalog {
  /// The class of a snapshot's head.
  func entry(_ declaration: ClassDeclaration) throws -> ClassEntry {
    let found = entry(
      name: declaration.name, isEmbedded: declaration.isEmbedded, keyType: declaration.keyType)
    guard let found else {
      throw SnapshotRefusal(reason: "the class \(declaration.name) is not in the file")
    }
    return found
  }

  func property(
    _ declaration: PropertyDeclaration, of head: SnapshotHead
  ) throws -> StoredProperty {
    let owner = try entry(head.classes[Int(declaration.owner.rawValue)].declaration)
    let target = try declaration.target.map {
      try entry(head.classes[Int($0.rawValue)].declaration).id
    }
    let found = property(
      of: owner.id, name: declaration.name, type: declaration.type,
      collection: declaration.collection, target: target)
    guard let found else {
      throw SnapshotRefusal(reason: "the property \(declaration.name) is not in the file")
    }
    return found
  }
}

extension SnapshotRow {
  fileprivate var hasLongValue: Bool {
    cells.contains { if case .scalar(let value) = $0.content { value.isLong } else { false } }
  }
}
