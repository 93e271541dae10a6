import AtollChanges
import AtollSQLite
import AtollVocabulary

// Operations that no longer count: where they wanted to go, and why the way is closed.
extension StoreFile {
  /// Where an operation wanted to go.
  struct WayDown {
    let entry: ClassEntry
    /// For people.
    var text = ""
    /// Why the way ends; nil if it is open to the last step.
    var rule: ConflictRule?
    /// The instance that the operation was made in and that is not held any more.
    var instance: LocalStamp?
    /// What is held instead.
    var held: LocalStamp?
    /// Whether the operation is in that instance itself, not in one inside it.
    var isDirect = false
    /// The cell, where it is still there.
    var cell: LedgerPlace.Cell?
  }

  /// Goes down a path as merging does, and on in words where it is closed.
  func wayDown(_ path: CellPath, _ source: MergeSource) throws -> WayDown {
    let entry = try entry(try classID(path.object.class, of: source.record))
    var way = WayDown(entry: entry)
    var row = try aliveRow(entry, path.object)
    var level: FieldNode?
    if row == nil { way.rule = .deleted }
    for (index, step) in path.steps.enumerated() {
      let (number, instance, suffix) = try parts(of: step, source)
      let property = try property(number, of: source.record)
      way.text += (way.text.isEmpty ? "" : ".") + property.name + suffix
      guard let found = row else { continue }
      // What is not there is not made: an operation that counts for nothing changes nothing.
      guard let node = knownChild(property, of: level, in: found.table) else {
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
        way.isDirect = index == path.steps.count - 1 && path.nested.isEmpty
      }
    }
    let property = try property(path.property, of: source.record)
    way.text += (way.text.isEmpty ? "" : ".") + property.name
    guard let row, let node = knownChild(property, of: level, in: row.table) else { return way }
    way.cell = LedgerPlace.Cell(table: row.table.id, row: row.id, ordinal: node.ordinal)
    if way.rule == nil, case .slot(let reference)? = path.nested.first,
      let held = row.state.order(of: node)
    {
      let instance = try stamp(reference, of: source.record)
      guard held.stamp != instance else { return way }
      (way.rule, way.instance, way.held) = (.instanceReplaced, instance, held.stamp)
      way.isDirect = path.nested.count == 1
    }
    return way
  }

  private func parts(
    of step: PathStep, _ source: MergeSource
  ) throws -> (PropertyNumber, LocalStamp, String) {
    switch step {
    case .slot(let number, let instance):
      return (number, try stamp(instance, of: source.record), "")
    case .element(let number, let element, let instance):
      return (
        number, try stamp(instance, of: source.record), "[\(try label(element, source))]"
      )
    case .entry(let number, let key, let instance):
      return (number, try stamp(instance, of: source.record), "[\(key.debugDescription)]")
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

  private func label(_ element: ElementReference, _ source: MergeSource) throws -> String {
    elementLabel(
      try history(element.author, element.sequence, of: source.record), element.sequence,
      element.index)
  }

  /// What an operation would have put where; nil for those that put nothing anywhere.
  func content(
    of operation: Operation, _ stamp: LocalStamp, _ source: MergeSource
  ) throws -> (CellPath, suffix: String, LedgerValue)? {
    switch operation {
    case .assign(let path, let value): return (path, "", try ledgerValue(value, source))
    case .increment(let path, let amount, _): return (path, "", .step(amount))
    case .insert(let path, _, let value):
      let label = elementLabel(stamp.author, source.sequence, stamp.index)
      return (path, "[\(label)]", try ledgerValue(value, source))
    case .assignElement(let path, let element, let value):
      return (path, "[\(try label(element, source))]", try ledgerValue(value, source))
    case .insertMember(let path, let value):
      let member = try ledgerValue(value, source)
      return (path, "[\(member)]", member)
    case .assignEntry(let path, let key, let value):
      return (path, "[\(key.debugDescription)]", try ledgerValue(value, source))
    case .create, .delete, .move, .remove, .clear, .removeMember, .removeEntry, .release,
      .supersede:
      return nil
    }
  }

  // MARK: Instances that are in the ledger

  /// Puts what was written inside a lost instance into its entry; false if the ledger has no such one.
  ///
  /// What lies deeper than one level is lost with it, without an entry of its own.
  func fold(
    _ operation: Operation, _ value: LedgerValue, into instance: LocalStamp, isDirect: Bool,
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
    _ operation: Operation, _ value: LedgerValue, into lost: LedgerValue, _ source: MergeSource
  ) throws -> LedgerValue? {
    guard case .embedded(var fields) = lost else { return Self.added(operation, value, to: lost) }
    guard let path = operation.path else { return nil }
    let name = try property(path.property, of: source.record).name
    let index = fields.firstIndex { $0.name == name }
    let present = index.map { fields[$0].value }
    let changed: LedgerValue?
    switch (operation, present, value) {
    case (.assign, _, _): changed = value
    case (.increment, .scalar(.int(let number))?, .step(let amount)):
      changed = .scalar(.int(number &+ amount))
    case (_, let collection?, _): changed = Self.added(operation, value, to: collection)
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
    _ operation: Operation, _ value: LedgerValue, to collection: LedgerValue
  ) -> LedgerValue? {
    switch (operation, collection) {
    case (.insert, .list(let values)): .list(values + [value])
    case (.insertMember, .set(let values)): .set(values + [value])
    case (.assignEntry(_, let key, _), .map(let entries)):
      .map(entries.filter { $0.key != key } + [LedgerEntry(key, value)])
    case (_, _): nil
    }
  }

  // MARK: Changesets that were not seen

  /// Gives the operations of changesets here that the author of the one being merged had not seen, up
  /// to a bound of bytes.
  func forEachUnseenOperation(
    of source: MergeSource,
    _ body: (Operation, MergeSource, LocalStamp) throws -> Void
  ) throws {
    var budget = Limits.conflictSearchBytes
    for (record, seen) in try unseen(by: source) {
      let statement = try connection.prepare(
        "SELECT sequence, bytes FROM atoll_log WHERE author = ? AND sequence > ? ORDER BY sequence")
      defer { statement.finalize() }
      statement.bind(record.number, at: 1)
      statement.bind(seen.rawValue, at: 2)
      while budget > 0, try statement.step() {
        let bytes = statement.bytes(at: 1)
        budget -= bytes.count
        var reader = try ChangesetReader(bytes, author: record.author)
        let other = MergeSource(record: record, time: reader.time, sequence: reader.sequence)
        var index: UInt32 = 0
        while let operation = try reader.next() {
          try body(operation, other, other.stamp(index))
          index += 1
        }
      }
    }
  }

  /// The value that a step was made on; nil for any default.
  func stepBase(_ base: StepBase, _ source: MergeSource) throws -> LocalStamp? {
    switch base {
    case .default: nil
    case .assignment(let reference): try stamp(reference, of: source.record)
    }
  }

  /// Whether a path of an author leads to a cell in an object's own row.
  func leads(
    _ path: CellPath, of record: AuthorRecord, to node: FieldNode, of row: LoadedRow
  ) throws -> Bool {
    guard row.table.kind == .objects, path.nested.isEmpty, path.object.key == row.key,
      path.object.life == row.life, record.classID(path.object.class) == row.table.owner.id
    else { return false }
    let slots = path.steps.compactMap { step in
      if case .slot(let number, _) = step { number } else { nil }
    }
    guard slots.count == path.steps.count else { return false }
    let way = (slots + [path.property]).map { record.property($0)?.id }
    return way == node.way.map(\.property.id)
  }
}

extension PathStep {
  fileprivate var isSlot: Bool {
    if case .slot = self { true } else { false }
  }
}

extension Operation {
  /// Where it writes; nil for one on a whole object.
  var path: CellPath? {
    switch self {
    case .create, .delete, .release, .supersede: nil
    case .assign(let path, _), .increment(let path, _, _), .insert(let path, _, _),
      .assignElement(let path, _, _), .move(let path, _, _), .remove(let path, _),
      .clear(let path, _), .insertMember(let path, _), .removeMember(let path, _),
      .assignEntry(let path, _, _), .removeEntry(let path, _):
      path
    }
  }
}
