import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Operations that no longer count: where they wanted to go, and why the way is closed.
extension ObjectTables {
  /// The path of an operation.
  struct WayDown {
    let entry: ClassEntry
    let key: PersistedValue
    /// For people.
    var text = ""
    /// Why the way ends; nil if it is open to the last step.
    var rule: ConflictRule?
    /// The instance that the operation was made in and that is not held any more.
    var instance: LocalStamp?
    /// The present instance, and whether it has an inside too.
    var held: LocalStamp?
    var holdsInstance = false
    /// True if the operation is in that instance itself, not in one inside it.
    var isDirect = false
    /// The cell, where it is still there.
    var cell: LedgerPlace.Cell?
    /// The list, set or map that the way leads to, unless it lies in an any-typed slot.
    var container: Container?
  }

  /// Goes down a path as merging does, and on in words where it is closed.
  func wayDown(_ path: CellPath, _ source: MergeSource) throws -> WayDown {
    let entry = try entry(try classID(path.object.class, of: source.author))
    var way = WayDown(entry: entry, key: path.object.key)
    var row = try aliveRow(entry, path.object)
    var level: FieldNode?
    if row == nil { way.rule = .deleted }
    for (index, step) in path.steps.enumerated() {
      let (number, instance, suffix) = try parts(of: step, source)
      let property = try property(number, of: source.author)
      way.text += (way.text.isEmpty ? "" : ".") + property.name + suffix
      guard let found = row else { continue }
      // A missing cell is not made: an operation that does not count changes nothing.
      guard let node = found.table.child(property, of: level) else {
        row = nil
        continue
      }
      (row, level) = try step.isSlot ? (found, node) : inner(step, node, found, source)
      guard let next = row, let value = level else {
        if way.rule == nil { way.rule = .elementRemoved }
        continue
      }
      if way.rule == nil, let held = next.state.order(of: value), held.stamp != instance {
        (way.rule, way.instance, way.held) = (.instanceReplaced, instance, held.stamp)
        way.holdsInstance = next.holdsInstance(at: value)
        way.isDirect = index == path.steps.count - 1 && path.nested.isEmpty
      }
    }
    let property = try property(path.property, of: source.author)
    way.text += (way.text.isEmpty ? "" : ".") + property.name
    guard let row, let node = row.table.child(property, of: level) else { return way }
    way.cell = LedgerPlace.Cell(table: row.table.id, row: row.id, ordinal: node.ordinal)
    if path.nested.isEmpty { way.container = node.container(in: row) }
    if way.rule == nil, case .slot(let reference)? = path.nested.first,
      let held = row.state.order(of: node)
    {
      let instance = try stamp(reference, of: source.author)
      guard held.stamp != instance else { return way }
      (way.rule, way.instance, way.held) = (.instanceReplaced, instance, held.stamp)
      way.holdsInstance = row.holdsInstance(at: node)
      way.isDirect = path.nested.count == 1
    }
    return way
  }

  private func parts(
    of step: PathStep, _ source: MergeSource
  ) throws -> (PropertyNumber, LocalStamp, String) {
    switch step {
    case .slot(let number, let instance):
      return (number, try stamp(instance, of: source.author), "")
    case .element(let number, let element, let instance):
      return (
        number, try stamp(instance, of: source.author),
        "[\(elementLabel(try local(element, source)))]"
      )
    case .entry(let number, let key, let instance):
      return (number, try stamp(instance, of: source.author), "[\(key.debugDescription)]")
    }
  }

  /// The element or entry that a step goes into, and its value's node; nil if it is gone.
  private func inner(
    _ step: PathStep, _ node: FieldNode, _ row: LoadedRow, _ source: MergeSource
  ) throws -> (LoadedRow?, FieldNode?) {
    guard let container = node.container(in: row) else { return (nil, nil) }
    switch step {
    case .slot: return (row, node)
    case .element(_, let reference, _):
      let found = try heldElement(reference, in: container, source)
      return (found, found?.table.value)
    case .entry(_, let key, _):
      let found = try held(.key(key), in: container)
      return (found, found?.table.value)
    }
  }

  /// Returns the contents that an operation would have written or removed, and their place; nothing
  /// for those on a whole object.
  ///
  /// The suffix leads from the operation's path to an element, which is there for those of lists.
  func contents(
    of operation: DataOperation, _ stamp: LocalStamp, _ source: MergeSource
  ) throws -> [(suffix: String, value: LedgerValue, element: LocalElement?)] {
    func at(
      _ element: LocalElement, _ value: LedgerValue
    ) -> (suffix: String, value: LedgerValue, element: LocalElement?) {
      ("[\(elementLabel(element))]", value, element)
    }
    switch operation {
    case .assign(_, let value): return [("", try ledgerValue(value, source), nil)]
    case .increment(_, let amount, _): return [("", .step(amount), nil)]
    case .insert(_, _, let value):
      let made = LocalElement(mark: stamp.mark, sequence: source.sequence)
      return [at(made, try ledgerValue(value, source))]
    case .assignElement(_, let element, let value):
      return [at(try local(element, source), try ledgerValue(value, source))]
    case .move(_, let element, let position):
      return [at(try local(element, source), .moved(position))]
    case .remove(_, let element): return [at(try local(element, source), .removed)]
    case .clear(_, let elements):
      return try elements.map { at(try local($0, source), .removed) }
    case .insertMember(_, let value):
      let member = try ledgerValue(value, source)
      return [("[\(member)]", member, nil)]
    case .removeMember(_, let value):
      return [("[\(try ledgerValue(value, source))]", .removed, nil)]
    case .assignEntry(_, let key, let value):
      return [("[\(key.debugDescription)]", try ledgerValue(value, source), nil)]
    case .removeEntry(_, let key): return [("[\(key.debugDescription)]", .removed, nil)]
    case .create, .delete: return []
    }
  }

  private func local(
    _ element: ElementReference, _ source: MergeSource
  ) throws -> LocalElement {
    let author = try branch(element.author, element.sequence, of: source.author)
    let stamp = LocalStamp(time: .zero, author: author, index: element.index)
    return LocalElement(mark: stamp.mark, sequence: element.sequence)
  }

  /// The cell of an element that was removed; nil if its list is not there any more.
  func cell(of element: LocalElement, in way: WayDown) throws -> LedgerPlace.Cell? {
    guard let container = way.container, let value = container.table.value else { return nil }
    let statement = try container.table.statement(
      "SELECT _id FROM \(container.table.sql) WHERE _mark = ? AND _sequence = ? AND _owner = ?")
    statement.bind(element.mark, at: 1)
    statement.bind(element.sequence.rawValue, at: 2)
    statement.bind(container.owner, at: 3)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return LedgerPlace.Cell(
      table: container.table.id, row: statement.int64(at: 0), ordinal: value.ordinal)
  }

  // MARK: Instances that are in the ledger

  /// Puts what was written inside a lost instance into its entry; false if the ledger has no such one.
  ///
  /// Contents deeper than one level are lost with it, without an entry of their own.
  func fold(
    _ operation: DataOperation, _ value: LedgerValue, into instance: LocalStamp, isDirect: Bool,
    _ source: MergeSource
  ) throws -> Bool {
    let find = try statement(
      "SELECT number, losing FROM atoll_conflict WHERE losing_time = ? AND losing_mark = ?")
    find.bind(instance.time, at: 1)
    find.bind(instance.mark, at: 2)
    guard try find.step() else { return false }
    let number = find.int64(at: 0)
    let lost = LedgerValue(bytes: find.bytes(at: 1))
    find.reset()
    guard isDirect, let changed = try folded(operation, value, into: lost, source) else {
      return true
    }
    let update = try statement("UPDATE atoll_conflict SET losing = ? WHERE number = ?")
    update.bind(changed.bytes, at: 1)
    update.bind(number, at: 2)
    try update.run()
    return true
  }

  private func folded(
    _ operation: DataOperation, _ value: LedgerValue, into lost: LedgerValue, _ source: MergeSource
  ) throws -> LedgerValue? {
    guard case .embedded(var fields) = lost else { return Self.added(operation, value, to: lost) }
    guard let path = operation.path else { return nil }
    let name = try property(path.property, of: source.author).name
    let index = fields.firstIndex { $0.name == name }
    let present = index.map { fields[$0].value }
    let changed: LedgerValue?
    switch (operation, present, value) {
    case (.assign, _, _): changed = value
    case (.increment, .scalar(.int(let number))?, .step(let amount)):
      changed = .scalar(.int(number &+ amount))
    case (_, let collection?, _): changed = Self.added(operation, value, to: collection)
    case (.removeEntry, nil, _), (.removeMember, nil, _): changed = nil
    case (.assignEntry, nil, _): changed = Self.added(operation, value, to: .map([]))
    case (.insertMember, nil, _): changed = Self.added(operation, value, to: .set([]))
    case (_, nil, _): changed = Self.added(operation, value, to: .list([]))
    }
    guard let changed else { return nil }
    if let index {
      fields[index].value = changed
    } else {
      fields.append(LedgerField(name, changed))
    }
    return .embedded(fields)
  }

  private static func added(
    _ operation: DataOperation, _ value: LedgerValue, to collection: LedgerValue
  ) -> LedgerValue? {
    switch (operation, collection) {
    case (.insert, .list(let values)): .list(values + [value])
    case (.insertMember, .set(let values)): .set(values + [value])
    case (.removeMember(_, _), .set(let values)): .set(values.filter { $0 != value })
    case (.removeEntry(_, let key), .map(let entries)): .map(entries.filter { $0.key != key })
    case (.assignEntry(_, let key, _), .map(let entries)):
      .map(entries.filter { $0.key != key } + [LedgerEntry(key, value)])
    case (_, _): nil
    }
  }

  /// The value that a step was made on; nil for any default.
  func stepBase(_ base: StepBase, _ source: MergeSource) throws -> LocalStamp? {
    switch base {
    case .default: nil
    case .assignment(let reference): try stamp(reference, of: source.author)
    }
  }
}

/// A list's element as it is known in this file: by the author and index of its insert, and the number
/// of the changeset.
struct LocalElement {
  var mark: UInt64
  var sequence: SequenceNumber
}

extension LoadedRow {
  /// Tells whether an embedded object, a list or a map is in a slot.
  fileprivate func holdsInstance(at node: FieldNode) -> Bool {
    filledSlots.contains(node.ordinal) || nested[node.ordinal] != nil
  }
}

extension CellPath {
  /// True if it leads to a property, or to the list or map in an any-typed one, and no deeper.
  var isPlain: Bool {
    switch nested.first {
    case nil: true
    case .slot: nested.count == 1
    case .element, .entry: false
    }
  }
}

extension PathStep {
  fileprivate var isSlot: Bool {
    if case .slot = self { true } else { false }
  }
}

extension DataOperation {
  /// The path that it writes; nil for an operation on a whole object.
  var path: CellPath? {
    switch self {
    case .create, .delete: nil
    case .assign(let path, _), .increment(let path, _, _), .insert(let path, _, _),
      .assignElement(let path, _, _), .move(let path, _, _), .remove(let path, _),
      .clear(let path, _), .insertMember(let path, _), .removeMember(let path, _),
      .assignEntry(let path, _, _), .removeEntry(let path, _):
      path
    }
  }
}
