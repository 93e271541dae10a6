import AtollChanges
import AtollSQLite
import AtollVocabulary

// What this file wrote under a name that it has given up is written again under a new one: what was
// stamped too far ahead, and what came late.
extension StoreFile {
  /// Goes on under a new name of the file's own accord; what it wrote under the old one stays its affair.
  func succeed(_ transaction: WriteTransaction) throws {
    let statement = try statement(
      "INSERT OR IGNORE INTO atoll_former (author, since) VALUES (?, ?)")
    statement.bind(try own.number, at: 1)
    statement.bind(options.wallClock().milliseconds, at: 2)
    try statement.run()
    try startIncarnation(transaction)
  }

  /// Writes some of a former name's changesets again, as one that has written nothing yet.
  ///
  /// - Parameters:
  ///   - former: Whose.
  ///   - range: Which; they are in the log.
  ///   - last: The one of the former name's that the first new one depends on; 0 for none.
  ///   - raised: Objects that are made again in other lives.
  ///   - creations: Objects of others that are made for it.
  ///   - transaction: The open one.
  /// - Returns: How many.
  /// - Throws: If the file fails.
  func writeAgain(
    _ former: AuthorRecord, _ range: ClosedRange<SequenceNumber>,
    dependingOn last: SequenceNumber, raising raised: LostLives = [:],
    making creations: [LateCreation] = [], _ transaction: WriteTransaction
  ) throws -> Int {
    try succeed(transaction)
    let superseding = Operation.supersede(
      AuthorNumber(1), from: range.lowerBound, through: range.upperBound)
    try writeSuperseding(former, superseding, dependingOn: last, making: creations, transaction)
    var reissue = Reissue(
      of: former.declarations, from: range.lowerBound, from: SequenceNumber(2),
      declared: try own.declarations, insteadOfNothing: superseding)
    var lives = RaisedLives(objects: raised)
    for number in range.lowerBound.rawValue...range.upperBound.rawValue {
      guard let logged = try logged(former, SequenceNumber(number)) else {
        throw StorageError.damaged(path: path, detail: "changeset \(number) is not in the log")
      }
      var old = try Changeset(decoding: logged.bytes, author: former.author)
      if !raised.isEmpty { old.operations = old.operations.map { $0.transformed(by: &lives) } }
      state.time = state.time.next(at: options.wallClock())
      let changeset = try reissue.changeset(old, at: state.time)
      try enter(changeset, transaction, insteadOfNothing: superseding)
    }
    return Int(range.upperBound.rawValue - range.lowerBound.rawValue) + 1
  }

  /// The hash of a changeset that is applied, as far as it is known.
  private func hashKnown(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws -> ChainHash? {
    sequence == record.sequence ? record.hash : try knownHash(record, sequence)
  }

  /// The new incarnation's first changeset: some of the old one's count for nothing.
  private func writeSuperseding(
    _ former: AuthorRecord, _ superseding: Operation, dependingOn last: SequenceNumber,
    making creations: [LateCreation], _ transaction: WriteTransaction
  ) throws {
    let own = try own
    var declared = [former.author]
    var dependencies: [Dependency] = []
    if last > .none, let hash = try hashKnown(former, last) {
      dependencies.append(Dependency(author: AuthorNumber(1), sequence: last, hash: hash))
    }
    for record in authors.sorted
    where record !== own && record !== former && record.hasApplied {
      declared.append(record.author)
      dependencies.append(
        Dependency(
          author: AuthorNumber(UInt32(truncatingIfNeeded: declared.count)),
          sequence: record.sequence, hash: record.hash))
    }
    for record in authors.records {
      record.named = record.sequence
      try storeHead(record)
    }
    var changeset = Changeset(
      author: author, sequence: .first, time: state.time.next(at: options.wallClock()),
      dependencies: dependencies, declarations: declared.map(Declaration.author),
      operations: [superseding])
    state.time = changeset.time
    try add(creations, to: &changeset)
    try enter(changeset, transaction)
  }

  /// Merges a changeset of the author that writes here, and puts it into the log.
  ///
  /// What was written in an object that is not here any more, or upon a value that is none any more, is left
  /// out: it changes nothing here, and must not elsewhere, where an object of that name may be made again.
  ///
  /// - Parameters:
  ///   - changeset: The changeset.
  ///   - transaction: The open one.
  ///   - filler: What stands for each operation that is left out, so that the others keep their indexes.
  /// - Throws: If the file fails.
  private func enter(
    _ changeset: Changeset, _ transaction: WriteTransaction,
    insteadOfNothing filler: Operation? = nil
  ) throws {
    let own = try own
    var declarations = own.declarations
    try declarations.adopt(changeset.declarations)
    try adopt(changeset.declarations, declarations, of: own)
    try noteSeen(changeset.dependencies, of: own)
    let source = MergeSource(record: own, time: changeset.time, sequence: changeset.sequence)
    var changeset = changeset
    var run = CreationRun()
    for (place, operation) in changeset.operations.enumerated() {
      let index = UInt32(truncatingIfNeeded: place)
      var operation = operation
      if let filler {
        if !operation.isCreate { try merge(&run, source) }
        if let counting = try counting(operation, index: index, source) {
          operation = counting
        } else {
          if operation.object != nil { try noteDropped(operation, source.stamp(index), source) }
          operation = filler
        }
        changeset.operations[place] = operation
      }
      try merge(operation, source, index: index, after: &run)
    }
    try merge(&run, source)
    let bytes = changeset.encoded()
    try checkSize(ofChangeset: bytes)
    try appendToLog(bytes, own, changeset.sequence, own.hash.following(bytes), transaction)
  }

  /// The operation as it is written again; nil if it leads to an object that is not here, or names what is
  /// not past.
  private func counting(
    _ operation: Operation, index: UInt32, _ source: MergeSource
  ) throws -> Operation? {
    do {
      try source.record.declarations.validate(
        operation, index: index, sequence: source.sequence, time: source.time)
    } catch {
      // A stamp of a changeset that is superseded meanwhile may be later than the present.
      return nil
    }
    guard let object = operation.object, !operation.isCreate else { return operation }
    let entry = try entry(try classID(object.class, of: source.record))
    guard let life = try alive(entry, object.key)?.life else { return nil }
    guard case .delete = operation else { return life == object.life ? operation : nil }
    guard life < object.life, let least = try lifeToDelete(entry, after: life) else { return nil }
    return .delete(
      ObjectReference(class: object.class, key: object.key, life: max(least, object.life)))
  }
}

extension Operation {
  fileprivate var isCreate: Bool { if case .create = self { true } else { false } }
}

/// Operations in other lives than they were made in.
private struct RaisedLives: OperationTransform {
  let objects: StoreFile.LostLives

  func object(_ old: ObjectReference) -> ObjectReference { objects[old] ?? old }
}
