import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Registers, embedded slots and counters: how a value meets the one that is there.
extension ObjectTables {
  /// A cell's stamp in the form that merge rules compare.
  func order(_ stamp: CellStamp) throws -> RegisterStamp {
    guard let record = authors[stamp.stamp.author] else {
      throw StorageError.damaged(path: path, detail: "a stamp names author \(stamp.stamp.author)")
    }
    return RegisterStamp(
      isAssigned: stamp.isAssigned,
      stamp: Stamp(
        time: HybridTime(rawValue: stamp.stamp.time), author: record.author,
        index: stamp.stamp.index))
  }

  func mergeAssign(
    _ place: Place, _ value: FieldValue, _ order: CellStamp, _ source: MergeSource
  ) throws {
    guard try setRegister(place.row, place.node, value, order, source) else { return }
    recordChange(place)
    if place.row.table.rootColumn == nil, place.node.isSlot {
      for node in place.node.subtree.dropFirst() {
        transaction?.changes.modify(place.objectID, of: place.entry.id, column: node.ordinal)
      }
    }
  }

  /// Gives a register a value if it is later than the one held; says whether it did.
  func setRegister(
    _ row: LoadedRow, _ node: FieldNode, _ value: FieldValue, _ order: CellStamp,
    _ source: MergeSource
  ) throws -> Bool {
    if let held = row.state.order(of: node) {
      if try self.order(held) >= self.order(order) {
        try recordLateWrite(row, node, value, order, held, source)
        return false
      }
      try recordReplacement(row, node, value, order, held, source)
    }
    try expandIfDeep(node, value, source)
    let before = node.isSingle ? .zero : try digestOfCell(node, in: row)
    let emptied =
      node.isSlot || node.isAny
      ? node.subtree.filter { $0.isCollection || row.nested[$0.ordinal] != nil } : []
    let statement = try row.table.assign(node)
    let steps = order.isAssigned ? 0 : row.state.steps(of: node)
    var parameter: Int32 = 1
    var state = row.state
    try fill(
      node, Self.stepped(value, by: steps), order, &parameter, statement, &state, row, source)
    if node.bit != 0 {
      state.assigned = order.isAssigned ? state.assigned | node.bit : state.assigned & ~node.bit
    }
    if node.parent == nil, order.stamp == state.base, steps == 0, node.bit != 0 {
      state.removeException(node.ordinal)
    } else {
      state.setOrder(order, at: node.ordinal, steps: steps)
    }
    try bindState(state, row.id, parameter, statement)
    let old = try run(statement, replacing: node, in: row) ?? before
    row.state = state
    redigest(
      row.table.owner, minus: old, plus: try digestOfCell(node, in: row, holding: value, source))
    let identity = emptied.isEmpty ? .zero : try digestIdentity(of: row)
    for inner in emptied { try deleteElements(of: inner, owner: row.id, identity) }
    return true
  }

  /// Runs the statement that changes a cell; the digest of what a single one held, nil for others.
  private func run(
    _ statement: Statement, replacing node: FieldNode, in row: LoadedRow
  ) throws -> StateDigest? {
    guard node.isSingle else {
      try statement.run()
      return nil
    }
    replaced.expect(node.kind.columnType)
    try statement.run()
    return try digestOfCell(node, in: row, found: replaced.value)
  }

  /// Binds a subtree's new values and sets which cells it has; stamps written inside are dropped.
  private func fill(
    _ node: FieldNode, _ value: FieldValue?, _ order: CellStamp, _ parameter: inout Int32,
    _ statement: Statement, _ state: inout RowState, _ row: LoadedRow, _ source: MergeSource
  ) throws {
    state.removeException(node.ordinal)
    if node.isCollection { return }
    state.recorded = value == nil ? state.recorded & ~node.bit : state.recorded | node.bit
    if node.bit == 0, value != nil { state.setOrder(order, at: node.ordinal, steps: 0) }
    try bind(value, of: node, at: parameter, order.instance(in: state), statement, source)
    parameter += node.isAny ? 2 : 1
    row.nested[node.ordinal] = nil
    var fields: [EmbeddedField] = []
    switch value {
    case nil, .scalar, .link: break
    case .embedded(let given): fields = given
    case .collection(let kind): if node.isAny { row.nested[node.ordinal] = kind }
    }
    guard node.isSlot else { return }
    if case .embedded = value {
      row.filledSlots.insert(node.ordinal)
    } else {
      row.filledSlots.remove(node.ordinal)
    }
    for case let child? in node.children {
      let field = try fields.first {
        try property($0.property, of: source.author) == child.property
      }
      try fill(child, field?.value, order, &parameter, statement, &state, row, source)
    }
  }

  /// Binds the bare value of a cell, and the type of an any-typed one after it.
  ///
  /// `instance` is what a slot gets for an embedded object.
  func bind(
    _ value: FieldValue?, of node: FieldNode, at index: Int32, _ instance: Int64,
    _ statement: Statement, _ source: MergeSource
  ) throws {
    var tag: Int64?
    switch value {
    case nil: statement.bindNull(at: index)
    case .scalar(let scalar):
      statement.bind(scalar, at: index)
      tag = ValueTag.scalar(scalar)
    case .link(let target):
      statement.bind(try targetID(target, source), at: index)
      if node.isAny { tag = ValueTag.link(try classID(target.class, of: source.author)) }
    case .embedded: statement.bind(instance, at: index)
    case .collection(let kind):
      statement.bindNull(at: index)
      tag = ValueTag.collection(kind)
    }
    guard node.isAny else { return }
    if let tag { statement.bind(tag, at: index + 1) } else { statement.bindNull(at: index + 1) }
  }

  func bindState(
    _ state: RowState, _ id: Int64, _ parameter: Int32, _ statement: Statement
  ) throws {
    statement.bind(state.assigned, at: parameter)
    statement.bind(state.recorded, at: parameter + 1)
    if state.exceptions.isEmpty {
      statement.bindNull(at: parameter + 2)
    } else {
      statement.bind(state.exceptionBytes, at: parameter + 2)
    }
    statement.bind(id, at: parameter + 3)
  }

  /// Adds columns for a value that goes deeper than the table, in a class inside itself.
  ///
  /// Before any statement on the table is bound: a column more makes it another statement.
  func expandIfDeep(_ node: FieldNode, _ value: FieldValue, _ source: MergeSource) throws {
    guard node.table.hasOpenSlots, case .embedded(let fields) = value else { return }
    // Even for a value without fields: its collections need their tables before they are reached.
    try catalog.growing(on: connection) { try catalog.expand(node, on: connection) }
    for field in fields {
      let property = try property(field.property, of: source.author)
      let inner = try child(property, of: node, in: node.table)
      try expandIfDeep(inner, field.value, source)
    }
  }

  /// A default with the steps that were made on another default; nil stays nil.
  private static func stepped(_ value: FieldValue, by steps: Int64) -> FieldValue {
    guard steps != 0, case .scalar(.int(let base)) = value else { return value }
    return .scalar(.int(base &+ steps))
  }

  // MARK: Counters

  /// The register of an integer cell, and whether it reads nil.
  func counter(_ row: LoadedRow, _ node: FieldNode) throws -> (Counter, isNull: Bool) {
    let statement = try row.table.value(node)
    statement.bind(row.id, at: 1)
    guard try statement.step() else { return (Counter(), true) }
    defer { statement.reset() }
    let steps = row.state.steps(of: node)
    let order = try row.state.order(of: node).map { try self.order($0) }
    let isNull = statement.isNull(at: 0)
    let base = isNull ? 0 : statement.int64(at: 0) &- steps
    return (Counter(base: base, order: order, steps: steps), isNull)
  }

  func mergeIncrement(
    _ place: Place, _ amount: Int64, _ base: StepBase, _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    let row = place.row
    var (counter, isNull) = try counter(row, place.node)
    guard counter.step(by: amount, on: try self.stamp(base, source)) else {
      return try recordDroppedStep(place, amount, stamp, source)
    }
    let isDefault = counter.stepBase == nil
    var state = row.state
    state.setSteps(isDefault ? counter.steps : 0, at: place.node.ordinal)
    let new: PersistedValue = isNull && counter.order != nil ? .null : .int(counter.value)
    let statement = try row.table.assign(place.node)
    statement.bind(new, at: 1)
    try bindState(state, row.id, 2, statement)
    let old = try run(statement, replacing: place.node, in: row) ?? .zero
    row.state = state
    redigest(place.entry, minus: old, plus: try digestOfCell(place.node, in: row, found: new))
    recordChange(place)
  }

  private func stamp(_ base: StepBase, _ source: MergeSource) throws -> Stamp? {
    switch base {
    case .default: nil
    case .assignment(let reference):
      try order(
        CellStamp(isAssigned: true, stamp: try stamp(reference, of: source.author))
      ).stamp
    }
  }
}
