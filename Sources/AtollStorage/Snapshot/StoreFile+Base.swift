import AtollChanges
import AtollSQLite
import AtollVocabulary

/// The last changeset of an author that the file has from a snapshot rather than from its log.
struct BaseHead {
  var sequence: SequenceNumber
  var hash: ChainHash
  var time: UInt64
}

// What the log goes on from where the file began with a snapshot: the *base*. Its pages are kept, so
// that objects can still be made anew from what the file has.
extension StoreFile {
  /// Whether a changeset came with the base, and is not in the log to be compared.
  func isInBase(_ incoming: IncomingChangeset) throws -> Bool {
    guard authors.hasBase else { return false }
    let histories = authors.histories(of: incoming.author)
    return try histories.contains { record in
      guard record.author == incoming.author || histories.count == 1, let base = record.base,
        record.first <= incoming.sequence, incoming.sequence <= base.sequence
      else { return false }
      return try loggedHash(record, incoming.sequence) == nil
    }
  }

  /// The hash of a changeset as far as the log or the base has it.
  func knownHash(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> ChainHash? {
    if let hash = record.hashWithoutLog(of: sequence) { return hash }
    return try loggedHash(record, sequence)
  }

  /// Puts the base's rows into the tables, which are empty, inside the open transaction.
  ///
  /// - Parameter isAfresh: Whether declarations are taken again too.
  /// - Throws: ``SnapshotRefusal`` if it is no snapshot that the file can have.
  func layBase(isAfresh: Bool) throws {
    guard let number = try snapshotNumber(in: .base) else { return }
    var reader = SnapshotReader()
    var installation: SnapshotInstallation?
    for page in 0..<(try pageCount(number)) {
      reader.append(try checkedPage(number, page))
      while let record = try reader.next() {
        if case .head(let head) = record {
          if isAfresh { try declare(head, from: [:]) }
          try noteSeen(head)
          state.time = max(state.time, head.time)
          installation = try SnapshotInstallation(head, into: self)
        }
        try installation?.install(record)
      }
    }
    guard reader.isFinished else { throw SnapshotRefusal(reason: "it ends early") }
    try installation?.finish()
  }

  /// What authors had seen of each other.
  private func noteSeen(_ head: SnapshotHead) throws {
    let numbers = head.authors.map { authors[$0.author]?.number }
    for writer in head.authors {
      guard let record = authors[writer.author], record.number != state.author else { continue }
      var known = try seen(by: record)
      for seen in writer.seen where Int(seen.author) < numbers.count {
        guard let other = numbers[Int(seen.author)] else { continue }
        known[other] = max(known[other] ?? .none, seen.sequence)
        record.unsavedSeen.insert(other)
      }
      record.seen = known
    }
  }

  /// Gives what the head's authors have declared its local meaning, but for the first of each, as
  /// many as `known` says.
  func declare(_ head: SnapshotHead, from known: [Int64: Int]) throws {
    for writer in head.parentsFirst {
      guard let record = authors[writer.author] else { continue }
      for declared in writer.declared.dropFirst(known[record.number] ?? 0) {
        let (kind, local) = try local(declared, head)
        try authors.store(kind, local: local, of: record)
      }
    }
    authors.clear()
    try authors.refresh(catalog)
  }

  /// Adds what an author has declared by its last changeset in the base, where the log may not go back to.
  func adoptBase(of record: AuthorRecord, into declarations: inout DeclarationTable) throws {
    guard record.base != nil, let number = try snapshotNumber(in: .base) else { return }
    let head = try head(ofSnapshot: number)
    guard let writer = head.authors.first(where: { $0.author == record.author }) else { return }
    func own(_ number: ClassNumber) throws -> ClassNumber {
      guard let own = declarations.number(of: head.classes[Int(number.rawValue)].declaration)
      else { throw SnapshotRefusal(reason: "a property of a class that is not declared") }
      return own
    }
    for declared in writer.declared {
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
  ) throws -> (AuthorTable.DeclaredKind, Int64) {
    switch declared {
    case .class(let number):
      return (.class, Int64(try entry(head.classes[Int(number)].declaration).id.rawValue))
    case .property(let number):
      return (.property, Int64(try property(head.properties[Int(number)], of: head).id.rawValue))
    case .author(let number):
      guard Int(number) < head.authors.count,
        let record = authors[head.authors[Int(number)].author]
      else { throw SnapshotRefusal(reason: "a declared author that it does not name") }
      return (.author, record.number)
    }
  }
}
