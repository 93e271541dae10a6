import AtollChanges
import AtollSQLite
import AtollVocabulary

// Where merging meets the ledger: each function is called where a write of a peer may be lost, or may
// lose another's, and first asks what costs next to nothing: is there another author in it at all?
extension StoreFile {
  /// Whether what is merged now comes from a peer: a local write has seen everything.
  private var isLedgerOpen: Bool { keepsConflicts && transaction?.encoder == nil }

  // MARK: Registers

  /// A write comes too late for a register.
  func noteLate(
    _ row: LoadedRow, _ node: FieldNode, _ value: FieldValue, _ order: CellStamp,
    _ held: CellStamp, _ source: MergeSource
  ) throws {
    guard held.stamp.author != order.stamp.author, order.isAssigned, held.isAssigned,
      isLedgerOpen
    else { return }
    let (losing, winning) = (try ledgerValue(value, source), try ledgerValue(of: node, in: row))
    guard losing != winning else { return }
    try enter(
      Loss(
        rule: Self.rule(order.stamp, held.stamp), losing: losing, losingStamp: order.stamp,
        winning: winning, winningStamp: held.stamp),
      at: LedgerPlace(row, node), source)
  }

  /// A write is about to replace a register's value, with all that was written inside it.
  func noteReplacing(
    _ row: LoadedRow, _ node: FieldNode, _ value: FieldValue, _ order: CellStamp,
    _ held: CellStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen, order.isAssigned else { return }
    if held.stamp.author != order.stamp.author, held.isAssigned,
      try isConcurrent(held.stamp, with: source)
    {
      let (losing, winning) = (try ledgerValue(of: node, in: row), try ledgerValue(value, source))
      guard losing != winning else { return }
      return try enter(
        Loss(
          rule: Self.rule(held.stamp, order.stamp), losing: losing, losingStamp: held.stamp,
          winning: winning, winningStamp: order.stamp),
        at: LedgerPlace(row, node), source)
    }
    if node.isSlot || node.isAny || row.state.hasSteps(of: node) {
      let end = Ending(
        rule: .instanceReplaced, winning: try ledgerValue(value, source), stamp: order.stamp)
      try noteInside(node, of: row, end, source)
    }
  }

  /// A member or an entry is written twice, neither write having seen the other.
  func noteNamed(
    _ container: Container, _ known: (id: Int64, stamp: LocalStamp, isRemoved: Bool),
    _ value: FieldValue?, isRemoval: Bool, _ stamp: LocalStamp, isLate: Bool,
    _ source: MergeSource
  ) throws {
    guard known.stamp.author != stamp.author, isLedgerOpen else { return }
    guard try isLate || isConcurrent(known.stamp, with: source), let node = container.table.value
    else { return }
    let isSet = container.kind == .set
    if isSet, known.isRemoved == isRemoval { return }
    guard let row = try load(container.table, known.id) else { return }
    let held = known.isRemoved ? LedgerValue.removed : try ledgerValue(of: node, in: row)
    var new = LedgerValue.removed
    if !isRemoval, let value { new = try ledgerValue(value, source) }
    guard held != new else { return }
    let (losing, winning) = isLate ? (new, held) : (held, new)
    let (before, after) = isLate ? (stamp, known.stamp) : (known.stamp, stamp)
    try enter(
      Loss(
        rule: Self.rule(before, after), losing: losing, losingStamp: before, winning: winning,
        winningStamp: after),
      at: LedgerPlace(row, node), source)
  }

  private static func rule(_ losing: LocalStamp, _ winning: LocalStamp) -> ConflictRule {
    losing.time == winning.time ? .greaterAuthor : .laterTime
  }

  // MARK: What ends with its surroundings

  /// What ends cells: a delete, a replaced instance, a removed element.
  struct Ending {
    var rule: ConflictRule
    var winning: LedgerValue
    var stamp: LocalStamp
  }

  /// An object is about to end; what was written in it unseen is lost.
  func noteEnding(
    _ entry: ClassEntry, _ id: Int64, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen, try !unseen(by: source).isEmpty,
      let row = try load(entry.table, id)
    else { return }
    let end = Ending(rule: .deleted, winning: .removed, stamp: stamp)
    for case let node? in entry.table.top { try noteCell(node, of: row, end, source) }
  }

  /// A list element is about to end.
  func noteRemoving(_ row: LoadedRow, _ stamp: LocalStamp, _ source: MergeSource) throws {
    guard isLedgerOpen, let node = row.table.value, try !unseen(by: source).isEmpty else { return }
    let end = Ending(rule: .elementRemoved, winning: .removed, stamp: stamp)
    try noteCell(node, of: row, end, source)
  }

  /// Notes a cell that ends if its author was not seen, or else what was written inside it.
  private func noteCell(
    _ node: FieldNode, of row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    if !node.isCollection, let order = row.state.order(of: node), order.isAssigned,
      try isConcurrent(order.stamp, with: source)
    {
      return try enter(
        Loss(
          rule: end.rule, losing: try ledgerValue(of: node, in: row), losingStamp: order.stamp,
          winning: end.winning, winningStamp: end.stamp),
        at: LedgerPlace(row, node), source)
    }
    try noteInside(node, of: row, end, source)
  }

  private func noteInside(
    _ node: FieldNode, of row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    if node.isSlot {
      for case let child? in node.children { try noteCell(child, of: row, end, source) }
    }
    if node.isCollection || row.nested[node.ordinal] != nil {
      try noteElements(of: node, in: row, end, source)
    }
    if row.state.hasSteps(of: node) { try noteSteps(on: node, of: row, end, source) }
  }

  private func noteElements(
    of node: FieldNode, in row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    guard let table = node.elements, let value = table.value, try !unseen(by: source).isEmpty
    else { return }
    let statement = try table.statement(
      "SELECT _id FROM \(table.sql) WHERE _owner = ? AND _removed = 0 ORDER BY _id DESC LIMIT ?")
    statement.bind(node.owner(of: row.id), at: 1)
    statement.bind(Int64(Limits.conflictElements), at: 2)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(at: 0)) }
    for id in rows {
      guard let element = try load(table, id) else { continue }
      try noteCell(value, of: element, end, source)
    }
  }

  /// Finds the steps that were made on a value by authors whose changesets were not seen.
  private func noteSteps(
    on node: FieldNode, of row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    let held = row.state.order(of: node)
    let base = held?.isAssigned == true ? held?.stamp : nil
    try forEachUnseenOperation(of: source) { operation, other, stamp in
      guard case .increment(let path, let amount, let on) = operation,
        try stepBase(on, other) == base, try leads(path, of: other.record, to: node, of: row)
      else { return }
      try enter(
        Loss(
          rule: end.rule == .instanceReplaced && !node.isSlot ? .stepDropped : end.rule,
          losing: .step(amount), losingStamp: stamp, winning: end.winning,
          winningStamp: end.stamp),
        at: LedgerPlace(row, node), source)
    }
  }

  // MARK: What comes too late

  /// A step comes for a value that was replaced.
  func noteDroppedStep(
    _ place: Place, _ amount: Int64, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen else { return }
    let held = place.row.state.order(of: place.node)
    try enter(
      Loss(
        rule: .stepDropped, losing: .step(amount), losingStamp: stamp,
        winning: try ledgerValue(of: place.node, in: place.row), winningStamp: held?.stamp),
      at: LedgerPlace(place.row, place.node), source)
  }

  /// An operation comes for an object, an instance or an element that is over.
  func noteDropped(_ operation: Operation, _ stamp: LocalStamp, _ source: MergeSource) throws {
    guard isLedgerOpen else { return }
    guard let (path, suffix, losing) = try content(of: operation, stamp, source) else { return }
    let way = try wayDown(path, source)
    if let instance = way.instance,
      try fold(operation, losing, into: instance, isDirect: way.isDirect, source)
    {
      return
    }
    try enter(
      Loss(
        rule: way.rule ?? .elementRemoved, losing: losing, losingStamp: stamp, winning: .removed,
        winningStamp: way.rule == .instanceReplaced ? way.held : nil),
      at: LedgerPlace(
        entry: way.entry, key: path.object.key, path: way.text + suffix, cell: way.cell),
      source)
  }

  /// A create comes for an object that was deleted by somebody who knew it otherwise.
  func noteDroppedCreate(
    _ entry: ClassEntry, _ key: PersistedValue, _ fields: [CreatedField], _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    guard isLedgerOpen else { return }
    for field in fields where field.isAssigned {
      try enter(
        Loss(
          rule: .deleted, losing: try ledgerValue(field.value, source), losingStamp: stamp,
          winning: .removed, winningStamp: nil),
        at: LedgerPlace(
          entry: entry, key: key,
          path: try property(field.property, of: source.record).name, cell: nil),
        source)
    }
  }
}
