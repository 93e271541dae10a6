package import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// A snapshot that comes from a peer: its pages are kept as they come, so that it goes on where it
// ended, and put in place of everything in one transaction when all are there.
extension StoreFile {
  /// Begins to take a snapshot, or goes on if some of it is here; what another one left is dropped.
  ///
  /// - Returns: How many of its pages are here.
  package func beginStaging(_ id: ChainHash) throws(StorageError) -> Int {
    try doing("beginning to take a snapshot") {
      try quietly("beginning to take a snapshot") {
        if let number = try staged(id) { return try pageCount(number) }
        _ = try beginSnapshot(.coming, id: id)
        return 0
      }
    }
  }

  /// Keeps the next pages of a snapshot; what is not next, or does not give its hash, is left.
  ///
  /// - Returns: How many of its pages are here now.
  package func stage(_ pages: [SnapshotPage], of id: ChainHash) throws(StorageError) -> Int {
    try doing("taking a snapshot") {
      try quietly("taking a snapshot") {
        guard let number = try staged(id) else { return 0 }
        var count = try pageCount(number)
        for page in pages where page.index == count {
          guard try pageHash(number, count - 1)?.following(page.bytes) == page.hash else { break }
          try append(page: page.bytes, page.hash, to: number, at: count)
          count += 1
        }
        return count
      }
    }
  }

  /// Makes a snapshot that has come whole what this file goes on from, with what is in the log and
  /// not in the snapshot applied after it.
  ///
  /// All objects are made anew, in one transaction. A snapshot that is refused is dropped.
  ///
  /// - Returns: Whether it was taken, and why not.
  /// - Throws: ``StorageError`` if the file fails; nothing has changed then.
  package func installSnapshot(_ id: ChainHash) throws(StorageError) -> SnapshotOutcome {
    try doing("installing a snapshot") {
      do {
        if let number = try staged(id) {
          let head = try head(ofSnapshot: number)
          if let ahead = timeAhead(of: head) { return .early(ahead: ahead) }
          try checkSeals(of: head)
        }
        return try install(id)
      } catch {
        guard let reason = Self.snapshotRefusal(error) else { throw error }
        try quietly("dropping a snapshot") { try dropSnapshot(in: .coming) }
        return .refused(reason: reason)
      }
    }
  }

  /// Returns the time by which a snapshot is too far ahead of the local clock; released authors may
  /// be.
  private func timeAhead(of head: SnapshotHead) -> Duration? {
    let released = head.authors.map(\.releasedTime).max() ?? 0
    return timeAhead(
      head.time, after: max(authors.releasedTime, HybridTime(rawValue: released)))
  }

  /// Begins with what another file began with.
  func copyCheckpoint(of other: StoreFile) throws {
    guard let number = try other.snapshotNumber(in: .checkpoint) else { return }
    let count = try other.pageCount(number)
    guard let id = try other.pageHash(number, count - 1) else { return }
    _ = try beginStaging(id)
    for page in 0..<count {
      let bytes = try other.checkedPage(number, page)
      guard let hash = try other.pageHash(number, page) else { return }
      _ = try stage([SnapshotPage(id: id, index: page, hash: hash, bytes: bytes)], of: id)
    }
    let outcome = try install(id, isOwn: true)
    guard outcome == .installed else {
      throw StorageError.damaged(
        path: other.path, detail: "its checkpoint is not taken: \(outcome)")
    }
  }

  /// Begins with a snapshot; `isOwn` tells if it comes from the same file, and from no peer.
  private func install(_ id: ChainHash, isOwn: Bool = false) throws -> SnapshotOutcome {
    try begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try current("installing a snapshot")
      guard let number = try staged(id), try pageHash(number, pageCount(number) - 1) == id else {
        throw SnapshotRefusal(reason: "its pages do not give its hash")
      }
      let head = try head(ofSnapshot: number)
      guard try !log.isAwaitingBackfill else {
        throw SnapshotRefusal(reason: "what the last one was made of has still to come")
      }
      let tail = try ownTail(beyond: head)
      let known = try tail.map(lostGenerations)
      let writer = author
      let isDivided = try divide(by: head, transaction)
      guard try coversTruncationPoint(head) else {
        guard isDivided else { throw Self.lacksTruncated }
        // The peer hears of it by the names of what is here, and gives or takes another snapshot then.
        try dropSnapshot(in: .coming)
        try rebuild(transaction, demoting: nil, isAfresh: true)
        addGrown(isDivided, transaction)
        _ = try finish(transaction)
        return .forked
      }
      try adopt(head, isDivided, transaction)
      try setState(.checkpoint, ofSnapshot: number)
      try dropSnapshot(in: .whole)
      try beginBackfill()
      try rebuild(transaction, demoting: nil, isAfresh: isDivided)
      if try removalBook.leaveOutUnknown() { try rebuild(transaction, demoting: nil) }
      if let tail, author == writer, try !admissionBook.isRemoved(writer.replica) {
        // A generation that was known to be over before, or is made again already, is not made
        // again.
        let lost = try lostGenerations(in: tail).filter { known?[$0.key] == nil }
        try rescue(lost, in: tail, transaction)
      }
      if let stranger = try unadmitted(in: head.frontier), stranger != writer.replica, !isOwn {
        throw SnapshotRefusal(
          reason:
            "it has changesets of replica \(stranger), which no owner of the store has admitted")
      }
      if let author = contradicted(by: head), !isOwn {
        throw SnapshotRefusal(
          reason:
            "it has changesets of \(author) that count for nothing here; a peer that knows so has another"
        )
      }
      let objects = try CanonicalReader(tables: tables).classes.reduce(into: Int64(0)) {
        sum, entry in
        sum += try connection.integer("SELECT count(*) FROM \(entry.table.sql)") ?? 0
      }
      try setObjects(objects, ofSnapshot: number)
      addGrown(isDivided, transaction)
      _ = try finish(transaction)
      return .installed
    } catch {
      abandon()
      throw error
    }
  }

  /// Names what came, and all histories of an author that has several: some may be new, and then each is told anew.
  private func addGrown(_ isDivided: Bool, _ transaction: WriteTransaction) {
    for record in authors.records {
      let isToldAnew = isDivided || authors.branches(of: record.author).count > 1
      if record.checkpoint != nil || isToldAnew && record.storedHead.sequence >= record.first {
        transaction.grown.insert(record.number)
      }
    }
  }

  private func staged(_ id: ChainHash) throws -> Int64? {
    let statement = try statement("SELECT number FROM atoll_snapshot WHERE state = ? AND id = ?")
    statement.bind(SnapshotState.coming.rawValue, at: 1)
    statement.bind(id.bytes, at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }

  /// Why a snapshot alone is to blame for an error; nil if the file is.
  private static func snapshotRefusal(_ error: any Error) -> String? {
    (error as? SnapshotRefusal)?.reason ?? refusal(error)
  }

  // MARK: Taking over the head

  /// Makes the file's histories and the snapshot's one tree, and forgets the declarations if any was divided: they
  /// are taken again while objects are made anew.
  ///
  /// - Returns: Whether any was divided.
  private func divide(
    by head: SnapshotHead, _ transaction: WriteTransaction
  ) throws -> Bool {
    guard head.storeID == storeID else {
      throw SnapshotRefusal(reason: "it is of store \(head.storeID)")
    }
    let former = try own
    let isDivided = try unite(head)
    // This file wrote one of several histories, so it starts a new incarnation.
    if let record = authors[former.number], !record.children.isEmpty, author == record.author {
      try startIncarnation(transaction)
    }
    guard isDivided else { return false }
    try numbers.empty()
    try rereadAuthors()
    return true
  }

  /// Takes over classes, authors and how far each has come; rows follow.
  private func adopt(
    _ head: SnapshotHead, _ isDivided: Bool, _ transaction: WriteTransaction
  ) throws {
    try catalog.growing(on: connection) { try draft(head) }
    try log.dropCheckpoint()
    if let writer = head.authors.first(where: { $0.author == author }),
      try writer.sequence > own.sequence
    {
      // A peer has more of this author than the file: it is an old copy of an incarnation in use.
      try checkOwnTail(below: writer)
      try startIncarnation(transaction)
    }
    let known = try numbers.declaredCounts()
    for writer in head.authors { try adopt(writer) }
    if isDivided {
      try rereadAuthors()
    } else {
      try declare(head, from: known)
    }
  }

  /// Tells if a snapshot has all that the log does not have: it cannot be had from anywhere else here.
  private func coversTruncationPoint(_ head: SnapshotHead) throws -> Bool {
    var covered: [Int64: SequenceNumber] = [:]
    for segment in head.authors.flatMap(segments) {
      covered[segment.record.number] = segment.last
    }
    return authors.records.allSatisfy { record in
      guard let truncationPoint = record.truncationPoint, truncationPoint.sequence >= record.first
      else { return true }
      return covered[record.number].map { truncationPoint.sequence <= $0 } ?? false
    }
  }

  private static let lacksTruncated = SnapshotRefusal(
    reason:
      "it lacks some of what this file has from another snapshot; a peer that has the log can bring "
      + "both together")

  /// The changesets that were written here under that name may be another history than the
  /// snapshot's, which nothing in the snapshot would tell; those that a peer has acknowledged are
  /// not.
  private func checkOwnTail(below writer: SnapshotHead.Writer) throws {
    let last = try own.sequence
    // Then it has been compared, and is the same.
    if last == .none || writer.recent(last) != nil { return }
    let proven =
      try peerProgress().flatMap(\.progress.holdings.heads).filter { head in
        guard head.author == author, head.sequence <= last else { return false }
        return try log.knownHash(own, head.sequence) == head.hash
      }.map(\.sequence).max() ?? .none
    guard proven < last else { return }
    throw SnapshotRefusal(
      reason:
        "its peers have \(writer.sequence) changesets of this file's own, and the file \(last), "
        + "of which none has acknowledged those after \(proven): its disk was rolled back, and they may be "
        + "others. Nothing was changed; export what it has, and make the file anew from a copy of a peer's"
    )
  }

  private func draft(_ head: SnapshotHead) throws {
    var classes: [ClassEntry] = []
    for value in head.classes.map(\.declaration) {
      classes.append(
        try catalog.grow(
          className: value.name, isEmbedded: value.isEmbedded, keyType: value.keyType,
          keyName: value.keyName, on: connection))
    }
    for value in head.properties {
      try catalog.grow(
        property: value.name, of: classes[Int(value.owner.rawValue)], type: value.type,
        collection: value.collection, target: value.target.map { classes[Int($0.rawValue)].id },
        on: connection)
    }
  }

  private func adopt(_ writer: SnapshotHead.Writer) throws {
    for segment in segments(of: writer) {
      let (record, last) = (segment.record, segment.last)
      let isLast = last == writer.sequence
      let recent = isLast ? nil : writer.recent(last)
      let hash = isLast ? writer.hash : try recent?.hash ?? log.hash(record, before: last.next)
      if record.sequence < last { (record.sequence, record.hash) = (last, hash) }
      try authors.place(record)
      try adoptControlOperations(of: writer, segment)
      guard last >= segment.first else { continue }
      try log.storeCheckpoint(
        last, hash, time: isLast ? writer.time : recent?.time ?? 0, of: record)
    }
  }

  /// Adopts the effect of control operations, and deletes the rows of the deferred among them.
  private func adoptControlOperations(of writer: SnapshotHead.Writer, _ segment: Segment) throws {
    let (number, last) = (segment.record.number, segment.last)
    try log.dropDeferred(of: number, through: last)
    // Ahead of what is applied only the last of a history can be released.
    let released = last < writer.sequence ? min(writer.released, last) : writer.released
    if released >= segment.first {
      try log.adoptRelease(of: number, through: released, time: writer.releasedTime)
    }
    for range in writer.superseded {
      if range.upperBound == AuthorRecord.noLast {
        let counting = max(range.lowerBound, segment.first).previous
        _ = try log.remove(segment.record, after: counting, by: .inCheckpoint)
        continue
      }
      let end = last < writer.sequence ? min(range.upperBound, last) : range.upperBound
      let start = max(range.lowerBound, segment.first)
      guard start <= end else { continue }
      try log.storeSuperseded(number, start...end, by: .inCheckpoint)
    }
  }
}
