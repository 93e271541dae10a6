import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// The *checkpoint*: the objects from which the log goes on, where a file began with a snapshot. Its pages
// are kept, so that objects can still be made anew from what the file has.
extension StoreFile {
  /// Tells if a changeset came with the checkpoint, and is not in the log to be compared.
  func isInCheckpoint(_ incoming: IncomingChangeset) throws -> Bool {
    guard authors.hasCheckpoint else { return false }
    let histories = authors.branches(of: incoming.author)
    return try histories.contains { record in
      guard record.author == incoming.author || histories.count == 1,
        let checkpoint = record.checkpoint,
        record.first <= incoming.sequence, incoming.sequence <= checkpoint.sequence
      else { return false }
      // One that is near enough to the end of the checkpoint is compared by its hash.
      return try log.loggedHash(record, incoming.sequence) == nil
        && !canDivideCheckpoint(record, at: incoming.sequence)
    }
  }

  /// Puts the checkpoint's rows into the tables, which are empty, inside the open transaction.
  ///
  /// - Parameter isAfresh: Whether declarations are taken again too.
  /// - Throws: ``SnapshotRefusal`` if it is no snapshot that the file can have.
  func layCheckpoint(isAfresh: Bool) throws {
    guard let number = try snapshotNumber(in: .checkpoint) else { return }
    let head = try head(ofSnapshot: number)
    if isAfresh { try declare(head, from: [:]) }
    if head.authors.contains(where: { segments(of: $0).count > 1 }) {
      // Its digests are those of the rows under the names that they have in it.
      try lay(number, isDivided: false)
      try empty(current("laying the checkpoint"))
      try lay(number, isDivided: true)
    } else {
      try lay(number, isDivided: false)
    }
    try adoptSeen(head)
    state.time = max(state.time, head.time)
  }

  private func lay(_ number: Int64, isDivided: Bool) throws {
    var reader = SnapshotReader()
    var installation: SnapshotInstallation?
    for page in 0..<(try pageCount(number)) {
      reader.append(try checkedPage(number, page))
      while let record = try reader.next() {
        if case .head(let head) = record {
          installation = try SnapshotInstallation(head, into: self, isDivided: isDivided)
        }
        try installation?.install(record)
      }
    }
    guard reader.isFinished else { throw SnapshotRefusal(reason: "it ends early") }
    try installation?.finish()
  }

  /// Takes over how far authors had seen each other: of this file's own, too, whose later changesets are
  /// replayed.
  private func adoptSeen(_ head: SnapshotHead) throws {
    let all = head.authors.map(segments)
    for (writer, segments) in zip(head.authors, all) {
      for segment in segments {
        let record = segment.record
        var known = try log.seen(by: record)
        for seen in seen(by: writer, through: segment.last) where Int(seen.author) < all.count {
          for other in all[Int(seen.author)] where other.first <= seen.sequence {
            let (number, last) = (other.record.number, min(other.last, seen.sequence))
            known[number] = max(known[number] ?? .none, last)
            record.unsavedSeen.insert(number)
          }
        }
        record.seen = known
      }
    }
  }

  /// Gives what the head's authors have declared its local meaning, but for the first of each, as
  /// many as `known` says.
  func declare(_ head: SnapshotHead, from known: [Int64: Int]) throws {
    for writer in head.parentsFirst {
      for segment in segments(of: writer) {
        let all = declared(in: segment, of: writer)
        for declared in all.dropFirst(known[segment.record.number] ?? 0) {
          let (kind, local) = try local(declared, head)
          try numbers.store(kind, local: local, of: segment.record)
        }
      }
    }
    try rereadAuthors()
  }

  private func declared(
    in segment: Segment, of writer: SnapshotHead.Writer
  ) -> ArraySlice<SnapshotHead.Declared> {
    let first = declaredCount(of: writer, before: segment.first)
    return writer.declared[first..<max(first, declaredCount(of: writer, before: segment.last.next))]
  }

  /// Adds what an author has declared by its last changeset in the checkpoint, where the log may not go back to, or
  /// before an earlier one.
  func adoptCheckpoint(
    of record: AuthorRecord, before sequence: SequenceNumber,
    into declarations: inout DeclarationTable
  ) throws {
    guard record.checkpoint != nil, let head = try checkpointHead(),
      let writer = try checkpointWriter(of: record),
      var segment = segments(of: writer).first(where: { $0.record === record })
    else { return }
    segment.last = min(segment.last, sequence.previous)
    func own(_ number: ClassNumber) throws -> ClassNumber {
      guard let own = declarations.number(of: head.classes[Int(number.rawValue)].declaration)
      else { throw SnapshotRefusal(reason: "a property of a class that is not declared") }
      return own
    }
    for declared in declared(in: segment, of: writer) {
      switch declared {
      case .class(let number):
        try declarations.adopt([.class(head.classes[Int(number)].declaration)])
      case .property(let number):
        var property = head.properties[Int(number)]
        property.owner = try own(property.owner)
        property.target = try property.target.map(own)
        try declarations.adopt([.property(property)])
      case .author(let number) where Int(number) < head.authors.count:
        try declarations.adopt([.author(head.authors[Int(number)].author)])
      case .author: throw SnapshotRefusal(reason: "a declared author that it does not name")
      }
    }
  }

  private func local(
    _ declared: SnapshotHead.Declared, _ head: SnapshotHead
  ) throws -> (NumberTable.Kind, Int64) {
    switch declared {
    case .class(let number):
      return (.class, Int64(try catalog.entry(head.classes[Int(number)].declaration).id.rawValue))
    case .property(let number):
      return (
        .property, Int64(try catalog.property(head.properties[Int(number)], of: head).id.rawValue)
      )
    case .author(let number):
      guard Int(number) < head.authors.count,
        let record = authors[head.authors[Int(number)].author]
      else { throw SnapshotRefusal(reason: "a declared author that it does not name") }
      return (.author, record.number)
    }
  }
}
