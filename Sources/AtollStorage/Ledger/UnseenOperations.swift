import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The operations that leave no stamp in a row, as far as somebody had not seen them: steps, removals from
/// lists, deletes, and creates that assigned nothing; by object.
///
/// Read from the log when they are first asked for. Each author's stand in a window on its changesets,
/// which moves on as those are seen: every changeset is read once, not once for each that is merged.
struct UnseenOperations {
  struct Item {
    let operation: DataOperation
    let source: MergeSource
    let stamp: LocalStamp
  }

  enum Kind: Hashable {
    case create
    case delete
    case step
    case removal
  }

  /// The object that operations of one kind are about.
  private struct Subject: Hashable {
    var kind: Kind
    var classID: ClassID
    var key: PersistedValue
  }

  /// The changesets of one author that were read: `after < sequence <= last`.
  private struct Window {
    var after: SequenceNumber
    var last: SequenceNumber
    /// Bytes of all before the first of ``ends``.
    var start = 0
    /// Ascending; with each the bytes up to its end.
    var ends: [(sequence: SequenceNumber, bytes: Int)] = []

    init(after: SequenceNumber) { (self.after, last) = (after, after) }

    var byteCount: Int { (ends.last?.bytes ?? start) - start }

    /// Bytes of those after a number.
    func byteCount(after seen: SequenceNumber) -> Int {
      let place = place(after: seen)
      return byteCount - ((place > 0 ? ends[place - 1].bytes : start) - start)
    }

    private func place(after seen: SequenceNumber) -> Int {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if ends[middle].sequence <= seen { low = middle + 1 } else { high = middle }
      }
      return low
    }

    mutating func append(_ sequence: SequenceNumber, byteCount: Int) {
      ends.append((sequence, (ends.last?.bytes ?? start) + byteCount))
      last = sequence
    }

    /// Forgets those up to a number; whether there were any.
    mutating func drop(upTo seen: SequenceNumber) -> Bool {
      let place = place(after: seen)
      after = max(after, min(seen, last))
      guard place > 0 else { return false }
      start = ends[place - 1].bytes
      ends.removeFirst(place)
      return true
    }
  }

  /// The revision of the records of authors that the items hold.
  let revision: Int
  /// For whose changeset the windows stand right.
  fileprivate var reader: (author: Int64, sequence: SequenceNumber)?
  /// By author number.
  private var windows: [Int64: Window] = [:]
  private var items: [Subject: [Item]] = [:]

  init(revision: Int) { self.revision = revision }

  func items(_ kind: Kind, of classID: ClassID, _ key: PersistedValue) -> [Item] {
    items[Subject(kind: kind, classID: classID, key: key)] ?? []
  }

  /// Tells if it has more than is worth keeping until more changesets come.
  var isLarge: Bool { byteCount > 4 * Limits.conflictSearchBytes }

  /// Bytes of the changesets that were read.
  private var byteCount: Int { windows.values.reduce(0) { $0 + $1.byteCount } }

  /// Makes a window go on from what was seen of its author; returns the bytes in it after that.
  fileprivate mutating func open(_ author: Int64, after seen: SequenceNumber) -> Int {
    if let known = windows[author] {
      if known.after <= seen, seen <= known.last { return known.byteCount(after: seen) }
      if known.byteCount > 0 { keep { $0.source.record.number != author } }
    }
    windows[author] = Window(after: seen)
    return 0
  }

  /// The last changeset of an author that was read.
  fileprivate func last(of author: Int64) -> SequenceNumber { windows[author]?.last ?? .none }

  /// Takes down that a changeset is read.
  fileprivate mutating func enter(_ sequence: SequenceNumber, of author: Int64, byteCount: Int) {
    windows[author]?.append(sequence, byteCount: byteCount)
  }

  fileprivate mutating func append(
    _ item: Item, _ kind: Kind, of classID: ClassID, _ key: PersistedValue
  ) {
    items[Subject(kind: kind, classID: classID, key: key), default: []].append(item)
  }

  /// Forgets what was seen, once that is as much as a search may read.
  fileprivate mutating func dropSeen(_ seen: (Int64) -> SequenceNumber) {
    guard byteCount > 2 * Limits.conflictSearchBytes else { return }
    var isDropped = false
    for author in windows.keys where windows[author]?.drop(upTo: seen(author)) == true {
      isDropped = true
    }
    guard isDropped else { return }
    keep { seen($0.source.record.number) < $0.source.sequence }
  }

  private mutating func keep(_ isKept: (Item) -> Bool) {
    items = items.compactMapValues { items in
      let kept = items.filter(isKept)
      return kept.isEmpty ? nil : kept
    }
  }
}

extension DataOperation {
  /// The object of an operation that leaves no stamp of its own in a row, and its kind; nil of others.
  fileprivate var withoutStamp: (kind: UnseenOperations.Kind, object: ObjectReference)? {
    switch self {
    case .create(let object, let fields):
      fields.contains(where: \.isAssigned) ? nil : (.create, object)
    case .delete(let object): (.delete, object)
    case .increment(let path, _, _): (.step, path.object)
    case .remove(let path, _), .clear(let path, _): (.removal, path.object)
    case .assign, .insert, .assignElement, .move, .insertMember, .removeMember, .assignEntry,
      .removeEntry:
      nil
    }
  }
}

extension ObjectTables {
  /// The operations of one kind on an object that the author of the changeset being merged had not seen; as
  /// far as a bounded search finds them.
  func unseenOperations(
    _ kind: UnseenOperations.Kind, on classID: ClassID, _ key: PersistedValue,
    _ source: MergeSource
  ) throws -> [UnseenOperations.Item] {
    guard try !unseen(by: source).isEmpty, let transaction else { return [] }
    try findUnseenOperations(source, transaction)
    let seen = try log.seen(by: source.record)
    return ledger.unseen?.items(kind, of: classID, key).filter { item in
      let (record, sequence) = (item.source.record, item.source.sequence)
      // An operation that was read may have been superseded since, or deferred by a repair of the clock.
      return record !== source.record && seen[record.number] ?? .none < sequence
        && sequence <= record.sequence && !record.isSuperseded(sequence)
    } ?? []
  }

  /// Reads what the author of the changeset being merged had not seen and was not read yet.
  private func findUnseenOperations(
    _ source: MergeSource, _ transaction: WriteTransaction
  ) throws {
    var found: UnseenOperations
    if let known = ledger.unseen, known.revision == authors.revision {
      if let reader = known.reader, reader == (source.record.number, source.sequence) { return }
      found = known
    } else {
      found = UnseenOperations(revision: authors.revision)
    }
    // The only one that has it grows in place.
    ledger.unseen = nil
    let authors = try unseen(by: source)
    var byteCount = authors.reduce(0) { $0 + found.open($1.record.number, after: $1.seen) }
    for (record, _) in authors where byteCount < Limits.conflictSearchBytes {
      guard found.last(of: record.number) < record.sequence else { continue }
      try search(record, before: transaction.replayed, &byteCount, &found)
    }
    let seen = try log.seen(by: source.record)
    found.dropSeen { seen[$0] ?? .none }
    found.reader = (source.record.number, source.sequence)
    ledger.unseen = found
  }

  /// Reads on in what is applied of an author.
  private func search(
    _ record: AuthorRecord, before position: Int64, _ byteCount: inout Int,
    _ found: inout UnseenOperations
  ) throws {
    guard byteCount < Limits.conflictSearchBytes else { return }
    let first = found.last(of: record.number).next
    guard first <= record.sequence else { return }
    try log.forEachEntry(of: record, first...record.sequence, before: position) {
      sequence, _, bytes in
      byteCount += bytes.count
      found.enter(sequence, of: record.number, byteCount: bytes.count)
      if !record.isSuperseded(sequence) {
        try read(try ChangesetReader(bytes, author: record.author), of: record, into: &found)
      }
      return byteCount < Limits.conflictSearchBytes
    }
  }

  private func read(
    _ changeset: ChangesetReader, of record: AuthorRecord, into found: inout UnseenOperations
  ) throws {
    var reader = changeset
    let source = MergeSource(author: numbers[record], time: reader.time, sequence: reader.sequence)
    var index: UInt32 = 0
    while let operation = try reader.next() {
      defer { index += 1 }
      guard case .data(let operation) = operation else { continue }
      let resolved = try resolving(operation, of: source.author)
      if let (kind, object) = resolved.withoutStamp,
        let classID = numbers[record].classID(object.class)
      {
        found.append(
          UnseenOperations.Item(
            operation: resolved, source: source, stamp: source.stamp(index)),
          kind, of: classID, object.key)
      }
    }
  }
}
