import AtollChanges
import AtollSQLite
import AtollVocabulary

// A settlement says up to where everybody has applied everything, so that deletions below can be
// forgotten. Whoever knows it takes what was written without what is settled, and comes only then, for
// nothing, until its author has written it again. Whether that is so depends on the changesets alone: on
// what the late one, and the settlement, have in their pasts. So all who know both find the same, in
// whatever order they came.
extension StoreFile {
  /// Takes what a changeset settles into account.
  func settle(_ authors: [SettledAuthor], _ source: MergeSource) throws {
    let writer = source.record
    guard self.authors.settlement(writer.number, source.sequence) == nil else { return }
    let settlement = Settlement(writer: writer.number, sequence: source.sequence)
    for (number, past) in try past(of: source) { settlement[number].past = past }
    for settled in authors {
      guard settled.sequence > .none else {
        let number = try authorNumber(settled.author, of: writer)
        settlement[number].isHeard = true
        continue
      }
      let number = try history(settled.author, settled.sequence, of: writer)
      for (part, range) in parts(of: number, .first...settled.sequence) {
        guard range.upperBound <= settlement[part].past else {
          throw MalformedChangeset(
            detail: "it settles \(range.upperBound) changesets of "
              + "\(self.authors[part]?.author.description ?? "an author"), of which its author had "
              + "\(settlement[part].past)")
        }
        settlement[part].settled = range.upperBound
      }
      settlement[number].isHeard = settled.isHeard
    }
    try self.authors.store(settlement)
    try findLate(by: settlement)
  }

  /// What the author of a settlement had, the settlement included.
  private func past(of source: MergeSource) throws -> [Int64: SequenceNumber] {
    var past: [Int64: SequenceNumber] = [:]
    if transaction?.encoder != nil {
      for record in authors.records where record.hasApplied {
        past[record.number] = record.sequence
      }
    } else {
      past = try seen(by: source.record)
    }
    past[source.record.number] = source.sequence
    return past
  }

  // MARK: What comes late

  /// Judges a changeset of which everything in its past is applied; whether it comes late.
  ///
  /// Its dependencies must have been noted already.
  @discardableResult
  func judge(_ sequence: SequenceNumber, of record: AuthorRecord) throws -> Bool {
    guard !authors.settlements.isEmpty else { return false }
    var open = record.unsettled ?? authors.settlements
    if !open.isEmpty {
      let seen = try seen(by: record)
      open.removeAll { $0.isKnown(to: record.number, sequence, seen) }
      record.unsettled = open
      for settlement in open where settlement.makesLate(record.number, sequence, seen) {
        try authors.noteLate(record, sequence, by: settlement)
      }
    }
    return record.isLate(sequence)
  }

  /// Finds what is applied and comes late by a settlement that has just come.
  private func findLate(by settlement: Settlement) throws {
    let doubtful = authors.records.filter {
      $0.number != settlement.writer && $0.hasApplied && $0.sequence > settlement[$0.number].past
    }
    guard !doubtful.isEmpty else { return }
    // Of who was heard it need not be known what its changesets were written upon below the settlement's past.
    let isExact = doubtful.contains { !settlement[$0.number].isHeard }
    var pasts: [Int64: [Int64: SequenceNumber]] = isExact ? try pastsInBase() : [:]
    let log = try connection.prepare(
      "SELECT author, sequence, bytes FROM atoll_log ORDER BY position")
    while try log.step() {
      guard let record = authors[log.int64(at: 0)] else { continue }
      let sequence = SequenceNumber(log.uint64(at: 1))
      let isDoubtful = sequence > settlement[record.number].past
      guard sequence <= record.sequence, sequence > record.base?.sequence ?? .none,
        isExact || isDoubtful
      else { continue }
      let changeset = try ChangesetReader(log.bytes(at: 2), author: record.author)
      try note(changeset, of: record, in: &pasts)
      guard isDoubtful, record.number != settlement.writer,
        settlement.makesLate(record.number, sequence, pasts[record.number] ?? [:])
      else { continue }
      try authors.noteLate(record, sequence, by: settlement)
      if !record.isSuperseded(sequence) { transaction?.needsRebuild = true }
    }
  }

  /// What each author had applied by its last changeset in the base.
  private func pastsInBase() throws -> [Int64: [Int64: SequenceNumber]] {
    guard let number = try snapshotNumber(in: .base) else { return [:] }
    let head = try head(ofSnapshot: number)
    let numbers = head.authors.map { authors[$0.author]?.number }
    var pasts: [Int64: [Int64: SequenceNumber]] = [:]
    for writer in head.authors {
      guard let record = authors[writer.author] else { continue }
      for seen in writer.seen where Int(seen.author) < numbers.count {
        guard let other = numbers[Int(seen.author)] else { continue }
        pasts[record.number, default: [:]][other] = seen.sequence
      }
    }
    return pasts
  }

  /// Adds what a changeset of the log was written upon.
  private func note(
    _ changeset: ChangesetReader, of record: AuthorRecord,
    in pasts: inout [Int64: [Int64: SequenceNumber]]
  ) throws {
    var past = pasts[record.number] ?? [:]
    func add(_ number: Int64, _ sequence: SequenceNumber) {
      for (part, range) in parts(of: number, .first...sequence) {
        past[part] = max(past[part] ?? .none, range.upperBound)
      }
    }
    if changeset.sequence == record.first, let parent = authors[record.parent] {
      past.merge(pasts[parent.number] ?? [:]) { max($0, $1) }
      add(parent.number, previous(record.first))
    }
    for dependency in changeset.dependencies {
      guard let number = record.authorNumber(dependency.author), let named = authors[number] else {
        continue
      }
      let other = try history(of: named.author, with: dependency.sequence, dependency.hash)
      add((other ?? named).number, dependency.sequence)
    }
    pasts[record.number] = past
  }

  // MARK: What is forgotten

  /// Remembers the number of a deleted object no more.
  func forget(_ object: ObjectReference, _ source: MergeSource) throws {
    let entry = try entry(try classID(object.class, of: source.record))
    try noteForgotten(entry.id, object.life)
    guard try deadLife(entry, object.key) == object.life else { return }
    try forgetDead(entry, object.key)
  }

  /// The greatest number of a deletion that was forgotten of a class; 0 if none was.
  func forgottenLife(_ id: ClassID) throws -> Life {
    let statement = try statement("SELECT life FROM atoll_forgotten WHERE class = ?")
    statement.bind(Int64(id.rawValue), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return .unknown }
    return Life(UInt32(truncatingIfNeeded: statement.int64(at: 0)))
  }

  func noteForgotten(_ id: ClassID, _ life: Life) throws {
    guard life > .unknown else { return }
    let statement = try statement(
      """
      INSERT INTO atoll_forgotten (class, life) VALUES (?, ?)
      ON CONFLICT (class) DO UPDATE SET life = max(life, excluded.life)
      """)
    statement.bind(Int64(id.rawValue), at: 1)
    statement.bind(Int64(life.rawValue), at: 2)
    try statement.run()
  }

  /// The number that deleting an object carries; nil if the numbers are used up.
  ///
  /// It is greater than any that was forgotten, so that what forgets another deletion never means this one.
  func lifeToDelete(_ entry: ClassEntry, after life: Life) throws -> Life? {
    guard let next = Existence.deleted(after: life) else { return nil }
    guard entry.keyType != .identity, !authors.settlements.isEmpty else { return next }
    let forgotten = try forgottenLife(entry.id)
    guard next <= forgotten else { return next }
    return forgotten.rawValue <= UInt32.max - 3 ? Life(forgotten.rawValue + 2) : nil
  }
}
