import AtollChanges
import AtollSQLite
import AtollVocabulary

/// A row of cells as it was read: what its links lead to, and what its collections hold, lies elsewhere.
struct CanonicalRow {
  let id: Int64
  let state: RowState
  /// Of an object; of an element, null and 0.
  let key: PersistedValue
  let generation: Generation
  /// The owner of an element, see ``FieldNode/owner(of:)``; 0 for an object.
  let owner: Int64
  /// An element's position, a member's identity, or the UTF-8 of an entry's key.
  let place: [UInt8]
  let sequence: SequenceNumber
  let isRemoved: Bool
  /// By ordinal; the fields of a slot that is filled are columns of their own.
  let values: [StoredElement.Value]

  /// Decodes what ``CellTable/canonicalColumns`` selects.
  init(_ statement: Statement, of table: CellTable) {
    id = statement.int64(at: 0)
    state = RowState(canonical: statement, at: 1)
    key = table.isElements ? .null : statement.value(table.owner.keyType, at: 6)
    generation = Generation(UInt32(truncatingIfNeeded: statement.int64(at: 7)))
    owner = statement.int64(at: 8)
    place = table.isElements ? statement.bytes(at: 9) : []
    sequence = SequenceNumber(statement.uint64(at: 10))
    isRemoved = statement.int64(at: 11) != 0
    values = Self.values(statement, of: table, at: 12)
  }

  private static func values(
    _ statement: Statement, of table: CellTable, at first: Int32
  ) -> [StoredElement.Value] {
    var type = first + Int32(table.nodes.count)
    return table.nodes.map { node in
      let column = first + Int32(node.ordinal)
      switch node.kind {
      case .scalar(.any):
        defer { type += 1 }
        return statement.anyValue(at: column, type: type)
      case .scalar(let type): return .scalar(statement.value(type, at: column))
      case .collection: return .scalar(.null)
      case .link(let target):
        guard !statement.isNull(at: column) else { return .scalar(.null) }
        return .link(target, RowID(statement.int64(at: column)))
      case .presence: return statement.isNull(at: column) ? .scalar(.null) : .embedded([])
      }
    }
  }

  /// The memory that it takes, more or less.
  var byteCount: Int {
    values.reduce(Self.emptyBytes + place.count) { sum, value in
      switch value {
      case .scalar(.string(let text)): sum + Self.valueBytes + text.utf8.count
      case .scalar(.data(let bytes)): sum + Self.valueBytes + bytes.count
      case .scalar, .link, .embedded, .collection: sum + Self.valueBytes
      }
    }
  }

  private static let emptyBytes = 160
  private static let valueBytes = 32
}

extension CellTable {
  /// The columns from which a ``CanonicalRow`` is read: id, stamps, head of an object or of an
  /// element, every node's column as it is, then the types of the any-typed ones.
  var canonicalColumns: String {
    let head =
      isElements
      ? ["NULL", "0", "_owner", canonicalPlace, "_sequence", "_removed"]
      : [keySQL, "_life", "0", "NULL", "0", "0"]
    let stamps = ["_id", "_time", "_mark", "_assigned", "_recorded", "_stamps"]
    let cells = nodes.map { $0.isCollection ? "NULL" : $0.sql } + anyNodes.map(\.typeSQL)
    return (stamps + head + cells).joined(separator: ", ")
  }

  /// The position of an element among the others; lists and maps in any-typed slots share a table.
  private var canonicalPlace: String {
    placeColumns.count == 1 ? placeColumns[0] : "coalesce(\(placeColumns.joined(separator: ", ")))"
  }

  /// The condition on elements that are read, and the order of those of one owner.
  ///
  /// Of a set and a map what was removed counts too.
  var canonicalElements: (condition: String, order: String) {
    let condition =
      switch kind {
      case .elements(.list), .elements(.none): " AND _removed = 0"
      case .nested: " AND (_removed = 0 OR _key IS NOT NULL)"
      case .elements(.set), .elements(.map), .objects, .layout: ""
      }
    return (condition, (["_owner"] + placeColumns).joined(separator: ", "))
  }
}

extension RowState {
  /// The five columns of stamps.
  fileprivate init(canonical statement: Statement, at first: Int32) {
    self.init(
      base: LocalStamp(time: statement.uint64(at: first), mark: statement.uint64(at: first + 1)),
      assigned: statement.uint64(at: first + 2), recorded: statement.uint64(at: first + 3))
    guard !statement.isNull(at: first + 4) else { return }
    exceptions = RowState.exceptions(statement.bytes(at: first + 4))
  }
}
