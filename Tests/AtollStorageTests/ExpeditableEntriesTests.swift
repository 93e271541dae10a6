import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The changesets that can be expedited to a peer that lacks much else.
@Suite struct ExpeditableEntriesTests {
  private let a: TestStore
  private let b: TestStore
  private let relay: TestStore

  init() throws {
    a = try TestStore("a")
    b = try TestStore("b")
    relay = try TestStore("relay")
  }

  private func next(
    of author: Author, after sequence: UInt64 = 0, stored: VersionVector = VersionVector(),
    limitBytes: Int = 1 << 20
  ) throws -> [UInt64] {
    let entry = VersionVector.Entry(author: author, sequence: SequenceNumber(sequence))
    return try relay.file.expeditableEntries(after: [entry], stored: stored, limitBytes: limitBytes)
      .map(\.id.sequence.rawValue)
  }

  @Test func `what depends on nothing can be taken by anybody`() throws {
    for key in 1...3 as ClosedRange<Int64> { try a.create(key) }
    try b.create(9)
    try a.send(to: relay)
    try b.send(to: relay)
    #expect(try next(of: b.file.author) == [1])
    #expect(try next(of: a.file.author, after: 1) == [2, 3])
    #expect(try next(of: a.file.author, limitBytes: 1) == [])
  }

  @Test func `rule 16 what depends on more than is stored waits, and so does what follows`() throws
  {
    try a.create(1)
    try a.create(2)
    try b.create(8)
    try a.send(to: b)
    try b.create(9)
    try b.create(10)
    try a.send(to: relay)
    try b.send(to: relay)
    var stored = VersionVector()
    #expect(try next(of: b.file.author, stored: stored) == [1])
    stored[a.file.author] = SequenceNumber(1)
    #expect(try next(of: b.file.author, after: 1, stored: stored) == [])
    stored[a.file.author] = SequenceNumber(2)
    #expect(try next(of: b.file.author, after: 1, stored: stored) == [2, 3])
  }

  @Test func `what another process has just written is found`() throws {
    try a.create(1)
    let other = try StoreFile.open(a.path)
    #expect(
      try other.expeditableEntries(
        after: [.init(author: a.file.author, sequence: .none)], stored: VersionVector(),
        limitBytes: 1 << 20
      ).count == 1)
    try a.create(2)
    #expect(
      try other.expeditableEntries(
        after: [.init(author: a.file.author, sequence: .first)], stored: VersionVector(),
        limitBytes: 1 << 20
      ).count == 1)
    other.close()
  }
}
