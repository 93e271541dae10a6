import AtollChanges
import AtollSQLite
import AtollVocabulary

// Digests of what lies in the file: of one object with all it holds, of a row, of a cell.
extension ObjectTables {
  /// Levels of collections in one another after which a file is damaged.
  private static let depthBound = 3 * Limits.nestingDepth

  /// Every object of a class that is or was, with the sum of its hashes; dead ones last.
  ///
  /// `countsRemoved` says whether list elements that were removed count, as in version 1 of the protocol.
  func forEachDigest(
    of entry: ClassEntry, countingRemoved countsRemoved: Bool = false,
    _ body: (PersistedValue, Generation, StateDigest) throws -> Void
  ) throws {
    let statement = try connection.prepare(try entry.table.digestStatement(.all).sql)
    let row = DigestedRow(table: entry.table, statement: statement)
    while try statement.step() {
      let (key, generation) = (row.key, row.generation)
      let identity = DigestHasher.object(entry, key, generation)
      let contents = try contents(
        of: row.holders, in: row.id, identity, countingRemoved: countsRemoved)
      try body(key, generation, try digest(of: row, identity) + identity + contents)
    }
    try CanonicalReader(tables: self).forEachTombstone(of: entry) { key, generation in
      try body(key, generation, DigestHasher.object(entry, key, generation))
    }
  }

  /// The cells of an object's row, without what its collections hold.
  func digestOfObject(_ entry: ClassEntry, _ id: Int64) throws -> StateDigest {
    let statement = try entry.table.digestStatement(.row)
    statement.bind(id, at: 1)
    guard try statement.step() else { return .zero }
    defer { statement.reset() }
    let row = DigestedRow(table: entry.table, statement: statement)
    let identity = DigestHasher.object(entry, row.key, row.generation)
    return try digest(of: row, identity) + identity
  }

  /// One element with its value, without what its collections hold.
  func digestOfElement(
    _ table: CellTable, _ id: Int64, in container: StateDigest
  ) throws -> StateDigest {
    let statement = try table.digestStatement(.row)
    statement.bind(id, at: 1)
    guard try statement.step() else { return .zero }
    defer { statement.reset() }
    return try digest(ofElement: DigestedRow(table: table, statement: statement), in: container).sum
  }

  /// One cell, and those inside it where it is a slot.
  func digestOfCell(_ node: FieldNode, in row: LoadedRow) throws -> StateDigest {
    let statement = try row.table.digestStatement(.node(node.ordinal))
    statement.bind(row.id, at: 1)
    guard try statement.step() else { return .zero }
    defer { statement.reset() }
    var digest = RowDigest(try digestIdentity(of: row), in: self)
    let read = DigestedRow(table: row.table, statement: statement)
    try add(node, read, row.state, to: &digest)
    return digest.sum
  }

  /// The same of a single cell, where what its column has is at hand.
  func digestOfCell(
    _ node: FieldNode, in row: LoadedRow, found value: PersistedValue
  ) throws -> StateDigest {
    let order = row.state.order(of: node)
    let steps = row.state.steps(of: node)
    guard order != nil || steps != 0 else { return .zero }
    var digest = RowDigest(try digestIdentity(of: row), in: self)
    var content = DigestContent.scalar(value)
    if case .link(let target) = node.kind, case .int(let id) = value {
      content = try link(target, id)
    }
    try digest.add(node, order, steps: steps, content)
    return digest.sum
  }

  /// The same, where the value that was just put there is at hand; a slot is read again.
  func digestOfCell(
    _ node: FieldNode, in row: LoadedRow, holding value: FieldValue, _ source: MergeSource
  ) throws -> StateDigest {
    let steps = row.state.steps(of: node)
    if node.isSlot || steps != 0 { return try digestOfCell(node, in: row) }
    var digest = RowDigest(try digestIdentity(of: row), in: self)
    try digest.add(node, row.state.order(of: node), try digestContent(value, source))
    return digest.sum
  }

  /// All that the given collections of a row hold, and what that holds.
  func contents(
    of holders: [FieldNode], in row: Int64, _ identity: StateDigest, depth: Int = 0,
    countingRemoved countsRemoved: Bool = false
  ) throws -> StateDigest {
    guard !holders.isEmpty, depth <= Self.depthBound else { return .zero }
    var sum = StateDigest.zero
    var inside: [(holders: [FieldNode], row: Int64, identity: StateDigest)] = []
    for node in holders {
      guard let table = node.elements else { continue }
      let container = DigestHasher.container(identity, node)
      let statement = try table.digestStatement(.held)
      statement.bind(node.owner(of: row), at: 1)
      let read = DigestedRow(table: table, statement: statement)
      while try statement.step() {
        let (element, digest) = try digest(
          ofElement: read, in: container, countingRemoved: countsRemoved)
        sum += digest
        let holders = read.holders
        if !holders.isEmpty { inside.append((holders, read.id, element)) }
      }
    }
    for (holders, row, identity) in inside {
      sum += try contents(
        of: holders, in: row, identity, depth: depth + 1, countingRemoved: countsRemoved)
    }
    return sum
  }

  // MARK: Rows

  private func digest(
    ofElement row: DigestedRow, in container: StateDigest,
    countingRemoved countsRemoved: Bool = false
  ) throws -> (element: StateDigest, sum: StateDigest) {
    let state = row.state
    let element = try elementDigest(state.base)
    let place = row.place(state)
    if case .listed = place, row.isRemoved, !countsRemoved { return (element, .zero) }
    let head = try headDigest(
      of: element, sequence: row.sequence, place, isRemoved: row.isRemoved, in: container)
    return (element, try digest(of: row, element) + head)
  }

  /// The cells of a row.
  private func digest(of row: DigestedRow, _ identity: StateDigest) throws -> StateDigest {
    var digest = RowDigest(identity, in: self)
    let state = row.state
    for case let node? in row.table.top { try add(node, row, state, to: &digest) }
    return digest.sum
  }

  private func add(
    _ node: FieldNode, _ row: DigestedRow, _ state: RowState, to digest: inout RowDigest
  ) throws {
    guard !node.isCollection else { return }
    let order = state.order(of: node)
    let steps = state.steps(of: node)
    guard order != nil || steps != 0 else { return }
    let content = try content(node, row)
    try digest.add(node, order, steps: steps, content)
    guard case .embedded = content else { return }
    for case let child? in node.children { try add(child, row, state, to: &digest) }
  }

  private func content(_ node: FieldNode, _ row: DigestedRow) throws -> DigestContent {
    let column = row.column(node)
    switch node.kind {
    case .scalar(.any):
      guard let tag = row.tag(node) else { return .scalar(.null) }
      if let kind = ValueTag.kind(tag) { return .collection(kind) }
      if let target = ValueTag.target(tag) {
        return try link(target, row.statement.int64(at: column))
      }
      return .scalar(ValueTag.type(tag).map { row.statement.value($0, at: column) } ?? .null)
    case .scalar(let type): return .scalar(row.statement.value(type, at: column))
    case .link(let target):
      guard !row.statement.isNull(at: column) else { return .scalar(.null) }
      return try link(target, row.statement.int64(at: column))
    case .presence:
      return row.statement.isNull(at: column) ? .scalar(.null) : .embedded
    case .collection: return .scalar(.null)
    }
  }

  /// A row number that the file has never given is linked to by damage only.
  private func link(_ target: ClassID, _ id: Int64) throws -> DigestContent {
    guard let entry = catalog.entry(target), let found = try identity(of: id, entry) else {
      return .scalar(.int(id))
    }
    return .link(DigestHasher.object(entry, found.key, found.generation))
  }
}
