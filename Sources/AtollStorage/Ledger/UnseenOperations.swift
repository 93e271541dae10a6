import AtollChanges
import AtollSQLite
import AtollVocabulary

/// What the author of a changeset being merged had not seen and rows do not show: steps, removals from
/// lists, deletes, and creates that assigned nothing; by object.
///
/// Made in one pass over the log when it is first asked for, and kept while one author's changesets come
/// that had seen the same.
struct UnseenOperations {
  struct Item {
    let operation: Operation
    let source: MergeSource
    let stamp: LocalStamp
  }

  private struct Object: Hashable {
    var classID: ClassID
    var key: PersistedValue
  }

  /// What decides which operations there are: of whom, beyond what, up to what.
  struct Basis: Equatable {
    var author: ObjectIdentifier
    var seen: SequenceNumber
    var last: SequenceNumber
  }

  let basis: [Basis]
  private var items: [Object: [Item]] = [:]

  init(basis: [Basis]) { self.basis = basis }

  subscript(classID: ClassID, key: PersistedValue) -> [Item] {
    items[Object(classID: classID, key: key)] ?? []
  }

  mutating func append(_ item: Item, _ classID: ClassID, _ key: PersistedValue) {
    items[Object(classID: classID, key: key), default: []].append(item)
  }
}

extension Operation {
  /// The object of an operation that leaves no stamp of its own in a row; nil of others.
  fileprivate var objectWithoutStamp: ObjectReference? {
    switch self {
    case .create(let object, let fields): fields.contains(where: \.isAssigned) ? nil : object
    case .delete(let object): object
    case .increment(let path, _, _), .remove(let path, _), .clear(let path, _): path.object
    case .assign, .insert, .assignElement, .move, .insertMember, .removeMember, .assignEntry,
      .removeEntry, .release, .supersede:
      nil
    }
  }
}

extension StoreFile {
  /// The operations on an object that the author of the changeset being merged had not seen and that
  /// left no stamp; as far as a bounded search finds them.
  func unseenOperations(
    _ classID: ClassID, _ key: PersistedValue, _ source: MergeSource
  ) throws -> [UnseenOperations.Item] {
    let authors = try unseen(by: source)
    guard !authors.isEmpty, let transaction else { return [] }
    let basis = authors.map {
      UnseenOperations.Basis(
        author: ObjectIdentifier($0.record), seen: $0.seen, last: $0.record.sequence)
    }
    if let known = unseenOperations, known.basis == basis {
      return known[classID, key]
    }
    var found = UnseenOperations(basis: basis)
    var budget = Limits.conflictSearchBytes
    for (record, seen) in authors {
      try search(record, after: seen, before: transaction.replayed, &budget) { item in
        guard let object = item.operation.objectWithoutStamp,
          let classID = record.classID(object.class)
        else { return }
        found.append(item, classID, object.key)
      }
    }
    unseenOperations = found
    return found[classID, key]
  }

  /// Gives what an author wrote after a number, as far as it is applied and counts.
  private func search(
    _ record: AuthorRecord, after seen: SequenceNumber, before position: Int64,
    _ budget: inout Int, _ body: (UnseenOperations.Item) throws -> Void
  ) throws {
    let statement = try statement(
      """
      SELECT sequence, bytes FROM atoll_log
      WHERE author = ? AND sequence > ? AND sequence <= ? AND position < ? ORDER BY sequence
      """)
    statement.bind(record.number, at: 1)
    statement.bind(seen.rawValue, at: 2)
    statement.bind(record.sequence.rawValue, at: 3)
    statement.bind(position, at: 4)
    defer { statement.reset() }
    while budget > 0, try statement.step() {
      if record.isSuperseded(SequenceNumber(statement.uint64(at: 0))) { continue }
      let bytes = statement.bytes(at: 1)
      budget -= bytes.count
      var reader = try ChangesetReader(bytes, author: record.author)
      let source = MergeSource(record: record, time: reader.time, sequence: reader.sequence)
      var index: UInt32 = 0
      while let operation = try reader.next() {
        try body(
          UnseenOperations.Item(
            operation: try resolving(operation, of: record), source: source,
            stamp: source.stamp(index)))
        index += 1
      }
    }
  }
}
