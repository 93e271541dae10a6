import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Scenario 47. Who comes late has made objects without knowing that others once had their keys, and
// deleted them; those deletions are cut off the log, and win over all that was written without having
// seen them. What was made since is made again, above the deletion, by who made it:
//
//     elsewhere   create 1 ── delete 2 ── cut off the log ─────────────────────── create 3
//     here        create 1 ── assign ── takes a snapshot, where 2 holds ── writes create 3, assign
//
// An edit of what was deleted brings nothing back.
extension StoreFile {
  /// Objects that were made here, in generations that are over, with those in which to make them again.
  typealias LostGenerations = [ObjectReference: ObjectReference]

  /// Returns this file's changesets that a snapshot does not have; nil if there are none.
  func ownTail(beyond head: SnapshotHead) throws -> ClosedRange<SequenceNumber>? {
    let own = try own
    let known = head.authors.first { $0.author == own.author }
    let first = max(own.first, known.map { $0.sequence.next } ?? .first)
    return first <= own.sequence ? first...own.sequence : nil
  }

  /// The objects that some of this file's changesets made, in generations that are over by now.
  func lostGenerations(in tail: ClosedRange<SequenceNumber>) throws -> LostGenerations {
    let own = try own
    var lost = LostGenerations()
    try forEachOperation(of: own, tail) { operation, _, _ in
      guard case .create(let object, _) = operation else { return }
      lost[object] = try risen(object, of: own)
    }
    return lost
  }

  /// Makes the objects again of which the snapshot just installed says that they were deleted; inside the
  /// transaction that installed it.
  func rescue(
    _ lost: LostGenerations, in tail: ClosedRange<SequenceNumber>, _ transaction: WriteTransaction
  ) throws {
    if lost.isEmpty { return }
    let own = try own
    transaction.writer = numbers[own]
    state.time = try nextTime()
    transaction.beginChangeset(own.sequence.next, at: state.time)
    var rescue = Rescue(objects: lost)
    try forEachOperation(of: own, tail) { operation, time, place in
      try write(operation, stamped: time, at: place, &rescue, transaction)
    }
    try storeOwnChangesets(transaction)
    transaction.encoder = nil
  }

  /// The generation in which an object is to be made again; nil if its present one is that of the operation, or
  /// it has none left.
  private func risen(_ object: ObjectReference, of own: AuthorRecord) throws -> ObjectReference? {
    let entry = try tables.entry(try tables.classID(object.class, of: numbers[own]))
    guard entry.keyType != .identity else { return nil }
    if let found = try tables.alive(entry, object.key) {
      return found.generation > object.generation
        ? ObjectReference(object, in: found.generation) : nil
    }
    let tombstone = try tables.tombstoneGeneration(entry, object.key)
    guard tombstone > object.generation, let next = Existence.created(after: tombstone) else {
      return nil
    }
    return ObjectReference(object, in: next)
  }

  private func forEachOperation(
    of own: AuthorRecord, _ range: ClosedRange<SequenceNumber>,
    _ body: (DataOperation, HybridTime, ElementReference) throws -> Void
  ) throws {
    for number in range.lowerBound.rawValue...range.upperBound.rawValue {
      let sequence = SequenceNumber(number)
      guard !own.isSuperseded(sequence), let logged = try log.entry(own, sequence) else { continue }
      var reader = try ChangesetReader(logged.bytes, author: own.author)
      var place = ElementReference(author: .ownself, sequence: sequence, index: 0)
      while let operation = try reader.next() {
        if case .data(let operation) = operation { try body(operation, reader.time, place) }
        place.index += 1
      }
    }
  }

  /// Writes an operation once more if it concerns what is made again.
  private func write(
    _ old: DataOperation, stamped time: HybridTime, at place: ElementReference,
    _ rescue: inout Rescue,
    _ transaction: WriteTransaction
  ) throws {
    let new = old.transformed(by: &rescue)
    guard new != old else { return }
    let operations = try pieces(of: new, before: old, transaction)
    for operation in operations {
      guard let source = transaction.source else { return }
      let index = try perform(operation, transaction)
      guard operations.count == 1 else { continue }
      rescue.elements[place] = ElementReference(
        author: .ownself, sequence: source.sequence, index: index)
      let stamp = StampReference(time: time, author: .ownself, index: place.index)
      rescue.stamps[stamp] = StampReference(time: source.time, author: .ownself, index: index)
    }
  }

  /// Returns the pieces of an operation where its object is: for an existing one, the fields of a
  /// create.
  private func pieces(
    of new: DataOperation, before old: DataOperation, _ transaction: WriteTransaction
  ) throws -> [DataOperation] {
    let object = new.object
    let entry = try tables.entry(try tables.classID(object.class, of: transaction.writer))
    let isAlive = try tables.alive(entry, object.key)?.generation == object.generation
    guard case .create(_, let fields) = new, case .create(let former, let formerFields) = old else {
      return isAlive ? [new] : []
    }
    if !isAlive { return former == object ? [] : [new] }
    return zip(fields, formerFields).compactMap { field, before in
      // Of an object that was not lost only what leads to those that were.
      guard field.isAssigned, former != object || field != before else { return nil }
      return .assign(CellPath(object: object, property: field.property), field.value)
    }
  }
}

/// The new generations, elements and instances of objects that are made again.
private struct Rescue: OperationTransform {
  let objects: [ObjectReference: ObjectReference]
  var elements: [ElementReference: ElementReference] = [:]
  var stamps: [StampReference: StampReference] = [:]

  init(objects: [ObjectReference: ObjectReference]) { self.objects = objects }

  func object(_ old: ObjectReference) -> ObjectReference { objects[old] ?? old }
  func element(_ old: ElementReference) -> ElementReference { elements[old] ?? old }
  func stamp(_ old: StampReference) -> StampReference { stamps[old] ?? old }
}

extension ObjectReference {
  fileprivate init(_ other: ObjectReference, in generation: Generation) {
    self.init(class: other.class, key: other.key, generation: generation)
  }
}
