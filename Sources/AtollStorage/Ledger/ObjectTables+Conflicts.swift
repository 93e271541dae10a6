import AtollChanges
import AtollSQLite
import AtollVocabulary

// Calls of the ledger from the merge. Each function is called before a row is overwritten, since the value that
// loses has to be read from it; it first asks what costs next to nothing: is there another author in it at all?
extension ObjectTables {
  /// True if what is merged now comes from a peer: a local write has seen everything.
  var isLedgerOpen: Bool { ledger.isKept && transaction?.encoder == nil }

  /// Runs what looks at other rows, and leaves the row last loaded as it was: merging goes on with it.
  func aside(_ body: () throws -> Void) rethrows {
    let loaded = transaction?.loadedRow
    defer { transaction?.loadedRow = loaded }
    try body()
  }

  // MARK: Registers

  /// Records a write that comes too late for a register.
  func recordLateWrite(
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

  /// Records the value of a register that a write is about to replace, and all that was written inside it.
  func recordReplacement(
    _ row: LoadedRow, _ node: FieldNode, _ value: FieldValue, _ order: CellStamp,
    _ held: CellStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen else { return }
    if order.isAssigned, held.stamp.author != order.stamp.author, held.isAssigned,
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
    // Steps on one default go on to the next.
    guard node.isSlot || node.isAny || order.isAssigned && row.state.hasSteps(of: node) else {
      return
    }
    let end = Ending(
      rule: node.isSlot || node.isAny ? .instanceReplaced : .stepDropped,
      winning: try ledgerValue(value, source), stamp: order.stamp)
    try aside { try recordContents(node, of: row, end, source) }
  }

  /// Records the loser of two writes of one member or entry, neither of which has seen the other.
  func recordNamedElement(
    _ container: Container, _ known: (id: Int64, stamp: LocalStamp, isRemoved: Bool),
    _ value: FieldValue?, isRemoval: Bool, _ stamp: LocalStamp, isLate: Bool,
    _ source: MergeSource
  ) throws {
    guard isLedgerOpen, let node = container.table.value else { return }
    guard known.stamp.author != stamp.author,
      try isLate || isConcurrent(known.stamp, with: source)
    else {
      guard !isLate, !known.isRemoved, container.kind == .map, node.isSlot || node.isAny else {
        return
      }
      let end = Ending(
        rule: isRemoval ? .elementRemoved : .instanceReplaced,
        winning: try value.map { try ledgerValue($0, source) } ?? .removed, stamp: stamp)
      guard let row = try load(container.table, known.id) else { return }
      return try recordContents(node, of: row, end, source)
    }
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

  static func rule(_ losing: LocalStamp, _ winning: LocalStamp) -> ConflictRule {
    losing.time == winning.time ? .greaterAuthor : .laterTime
  }

  // MARK: What ends with its surroundings

  /// The end of cells: a delete, a replaced instance, a removed element.
  struct Ending {
    var rule: ConflictRule
    var winning: LedgerValue
    var stamp: LocalStamp

    /// True if what was removed inside may be there again: an instance was put in its place.
    var endsRemovals: Bool {
      guard rule == .instanceReplaced else { return false }
      switch winning {
      case .embedded, .list, .set, .map: return true
      case .scalar, .link, .step, .moved, .removed, .created, .omitted: return false
      }
    }
  }

  /// Records the unseen writes in an object that is about to be deleted.
  func recordDeletion(
    _ entry: ClassEntry, _ id: Int64, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen, try !unseen(by: source).isEmpty,
      let row = try load(entry.table, id)
    else { return }
    let end = Ending(rule: .deleted, winning: .removed, stamp: stamp)
    try recordLostCreates(entry, row, end, source)
    for case let node? in entry.table.top { try recordCell(node, of: row, end, source) }
  }

  /// Records the unseen writes in a list element that is about to be removed.
  func recordElementRemoval(_ row: LoadedRow, _ stamp: LocalStamp, _ source: MergeSource) throws {
    guard isLedgerOpen, let node = row.table.value, try !unseen(by: source).isEmpty else { return }
    let end = Ending(rule: .elementRemoved, winning: .removed, stamp: stamp)
    try aside { try recordElement(row, node, end, source) }
  }

  /// Records an element that ends: the value, or what was written in it, and where it was moved to.
  private func recordElement(
    _ row: LoadedRow, _ value: FieldNode, _ end: Ending, _ source: MergeSource
  ) throws {
    try recordCell(value, of: row, end, source)
    // The author that inserted the element has lost it, wherever it was moved to since.
    if try !isConcurrent(row.state.base, with: source) { try recordMoved(row, end, source) }
  }

  /// Records a cell that ends if its author was not seen, or else what was written inside it.
  private func recordCell(
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
    try recordContents(node, of: row, end, source)
  }

  private func recordContents(
    _ node: FieldNode, of row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    if node.isSlot {
      for case let child? in node.children { try recordCell(child, of: row, end, source) }
    }
    if node.isCollection || row.nested[node.ordinal] != nil {
      try recordElements(of: node, in: row, end, source)
    }
    if row.state.hasSteps(of: node) { try recordSteps(on: node, of: row, end, source) }
  }

  private func recordElements(
    of node: FieldNode, in row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    guard let container = node.container(in: row), let value = container.table.value,
      try !unseen(by: source).isEmpty
    else { return }
    let table = container.table
    let endsRemovals = end.endsRemovals
    let named = endsRemovals && container.kind != .list
    let statement = try table.statement(
      """
      SELECT _id FROM \(table.sql) WHERE _owner = ?\(named ? "" : " AND _removed = 0")
      ORDER BY _id DESC LIMIT ?
      """)
    statement.bind(container.owner, at: 1)
    statement.bind(Int64(Limits.conflictElements), at: 2)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(at: 0)) }
    for id in rows {
      guard let element = try load(table, id) else { continue }
      if element.isRemoved {
        try recordRemoval(of: element, value, end, source)
      } else {
        try recordElement(element, value, end, source)
      }
    }
    if endsRemovals, container.kind == .list {
      try recordRemovals(from: node, in: row, end, source)
    }
  }

  /// Records the unseen removal of a member or entry whose whole collection is replaced.
  private func recordRemoval(
    of row: LoadedRow, _ value: FieldNode, _ end: Ending, _ source: MergeSource
  ) throws {
    guard try isConcurrent(row.state.base, with: source) else { return }
    try enter(
      Loss(
        rule: end.rule, losing: .removed, losingStamp: row.state.base, winning: end.winning,
        winningStamp: end.stamp),
      at: LedgerPlace(row, value), source)
  }

  /// Finds the elements that were removed unseen from a list that is replaced.
  private func recordRemovals(
    from node: FieldNode, in row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    try forEachUnseen(.removal, in: node, of: row, source) { item, way in
      for (suffix, losing, _) in try contents(of: item.operation, item.stamp, item.source)
      where losing == .removed {
        try enter(
          Loss(
            rule: end.rule, losing: losing, losingStamp: item.stamp, winning: end.winning,
            winningStamp: end.stamp),
          at: LedgerPlace(entry: way.entry, key: way.key, path: way.text + suffix), source)
      }
    }
  }

  /// Finds the steps that were made on a value by authors whose changesets were not seen.
  private func recordSteps(
    on node: FieldNode, of row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    let held = row.state.order(of: node)
    let base = held?.isAssigned == true ? held?.stamp : nil
    try forEachUnseen(.step, in: node, of: row, source) { item, _ in
      guard case .increment(_, let amount, let on) = item.operation,
        try stepBase(on, item.source) == base
      else { return }
      try enter(
        Loss(
          rule: end.rule, losing: .step(amount), losingStamp: item.stamp, winning: end.winning,
          winningStamp: end.stamp),
        at: LedgerPlace(row, node), source)
    }
  }

  /// Gives the unseen operations of a kind that lead to a cell and count there.
  private func forEachUnseen(
    _ kind: UnseenOperations.Kind, in node: FieldNode, of row: LoadedRow, _ source: MergeSource,
    _ body: (UnseenOperations.Item, WayDown) throws -> Void
  ) throws {
    let cell = LedgerPlace.Cell(table: row.table.id, row: row.id, ordinal: node.ordinal)
    let object = try describe(LedgerPlace(row, node))
    guard let entry = object.entry else { return }
    for item in try unseenOperations(kind, on: entry.id, object.key, source) {
      guard let path = item.operation.path, path.isPlain else { continue }
      let way = try wayDown(path, item.source)
      if way.rule == nil, way.cell == cell { try body(item, way) }
    }
  }

  // MARK: What comes too late

  /// Records a step on a value that was replaced.
  func recordDroppedStep(
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

  /// Records an operation on an object, an instance or an element that has ended.
  func recordDropped(_ operation: DataOperation, _ stamp: LocalStamp, _ source: MergeSource) throws
  {
    guard isLedgerOpen, let path = operation.path else { return }
    try aside {
      let way = try wayDown(path, source)
      for (suffix, losing, element) in try contents(of: operation, stamp, source) {
        if let instance = way.instance,
          try fold(operation, losing, into: instance, isDirect: way.isDirect, source)
        {
          continue
        }
        try recordDropped(losing, way, suffix, element, stamp, source)
      }
    }
  }

  private func recordDropped(
    _ losing: LedgerValue, _ way: WayDown, _ suffix: String, _ element: LocalElement?,
    _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    let rule = way.rule ?? .elementRemoved
    // An element that is gone with its surroundings is removed all the same.
    let isMoot = losing == .removed && (rule != .instanceReplaced || !way.holdsInstance)
    var place = LedgerPlace(entry: way.entry, key: way.key, path: way.text + suffix)
    if isMoot { return try supersede(losing, at: place, way.entry, source) }
    if suffix.isEmpty { place.cell = way.cell }
    if let element {
      if try fold(losing, intoInsertOf: element, at: place) { return }
      if way.rule == nil { place.cell = try cell(of: element, in: way) }
    }
    try enter(
      Loss(
        rule: rule, losing: losing, losingStamp: stamp, winning: .removed,
        winningStamp: way.rule == .instanceReplaced ? way.held : nil),
      at: place, source)
  }
}
