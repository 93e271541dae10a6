import AtollChanges
import AtollSQLite
import AtollVocabulary

/// One row with its stamps, while operations on it are merged.
final class LoadedRow {
  let table: CellTable
  let id: Int64
  /// Of an object; of an element, null and 0.
  let key: PersistedValue
  let generation: Generation
  /// The owner of an element, see ``Container/owner``; 0 for an object.
  let owner: Int64
  let isRemoved: Bool
  @exclusivity(unchecked) var state: RowState
  /// Slots that hold an embedded object, by ordinal.
  @exclusivity(unchecked) var filledSlots: Set<Int>
  /// The kinds of the any-typed slots that hold a list or map, by ordinal.
  @exclusivity(unchecked) var nested: [Int: CollectionKind]

  init(
    table: CellTable, id: Int64, key: PersistedValue, generation: Generation, owner: Int64,
    isRemoved: Bool,
    state: RowState, filledSlots: Set<Int>, nested: [Int: CollectionKind]
  ) {
    self.table = table
    self.id = id
    self.key = key
    self.generation = generation
    self.owner = owner
    self.isRemoved = isRemoved
    self.state = state
    self.filledSlots = filledSlots
    self.nested = nested
  }
}

// MARK: - Reading

/// The columns of a statement with the state of a row for a change.
///
/// The first three are `_id`, key and generation of an object, or `_id`, `_owner` and `_removed` of an element.
struct StateColumns {
  /// By place in ``CellTable/slots``; nil if a slot is where ``CellTable/rowColumns(_:)`` has it.
  private let firstSlot: Int32?
  let firstType: Int32
  /// Of the five: `_time`, `_mark`, `_assigned`, `_recorded`, `_stamps`.
  let firstStamp: Int32

  /// Of ``CellTable/state()``.
  init(of table: CellTable) {
    firstSlot = 3
    firstType = 3 + Int32(table.slots.count)
    firstStamp = firstType + Int32(table.anyNodes.count)
  }

  /// Of ``CellTable/stampedRow()``.
  init(ofRowsOf table: CellTable) {
    firstSlot = nil
    firstType = 3 + Int32(table.nodes.count)
    firstStamp = firstType + Int32(table.anyNodes.count)
  }

  func column(of slot: FieldNode, at place: Int) -> Int32 {
    firstSlot.map { $0 + Int32(place) } ?? 3 + Int32(slot.ordinal)
  }
}

extension LoadedRow {
  /// The row that a statement stands on.
  convenience init(_ statement: Statement, of table: CellTable, _ columns: StateColumns) {
    let first = columns.firstStamp
    var state = RowState(
      base: LocalStamp(time: statement.uint64(at: first), mark: statement.uint64(at: first + 1)),
      assigned: statement.uint64(at: first + 2), recorded: statement.uint64(at: first + 3))
    if !statement.isNull(at: first + 4) {
      state.exceptions = RowState.exceptions(statement.bytes(at: first + 4))
    }
    var filled: Set<Int> = []
    for (place, slot) in table.slots.enumerated()
    where !statement.isNull(at: columns.column(of: slot, at: place)) { filled.insert(slot.ordinal) }
    var nested: [Int: CollectionKind] = [:]
    for (place, node) in table.anyNodes.enumerated() {
      nested[node.ordinal] = ValueTag.kind(
        statement.int64(at: columns.firstType + Int32(place)))
    }
    let isObject = table.kind == .objects
    self.init(
      table: table, id: statement.int64(at: 0),
      key: isObject ? statement.value(table.owner.keyType, at: 1) : .null,
      generation: Generation(isObject ? UInt32(truncatingIfNeeded: statement.int64(at: 2)) : 0),
      owner: isObject ? 0 : statement.int64(at: 1),
      isRemoved: !isObject && statement.int64(at: 2) != 0,
      state: state, filledSlots: filled, nested: nested)
  }
}
