import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// An object without a declared key is made once, so a deleted one needs no tombstone.
@Suite struct `deleted objects without a declared key` {
  private let (a, b): (TestStore, TestStore)

  init() throws { (a, b) = (try TestStore("a"), try TestStore("b")) }

  @Test func `leave nothing, whoever still edits or deletes them`() throws {
    let ids = try make(["gone", "gone here and there", "kept"])
    try a.send(to: b)
    try delete(ids[0...1], at: a)
    let notes = try notes(b)
    let text = FieldPath(b.property("Note", "text")[0])
    try b.write { b in
      try b.file.assign(b["Note"].id, id: notes[0], text, .scalar(.string("edited meanwhile")))
      try b.file.delete(b["Note"].id, id: notes[1])
    }
    try a.send(to: b)
    try b.send(to: a)
    for store in [a, b] {
      #expect(try self.notes(store).count == 1)
      #expect(try tombstoneCount(store) == 0)
      #expect(try store.file.verify() == [])
    }
    #expect(try a.exported() == b.exported())
    #expect(try a.file.stateDigest() == b.file.stateDigest())
    #expect(try a.file.conflicts().map(\.rule) == [.deleted])
  }

  @Test func `are nothing to who never had them either`() throws {
    try delete(make(["gone"]), at: a)
    try a.send(to: b)
    #expect(try a.file.stateDigest() == .zero && b.file.stateDigest() == .zero)
    #expect(try a.exported() == TestStore("other").exported())
  }

  @Test func `stay away when a late replica takes a snapshot without them`() throws {
    let ids = try make(["gone", "kept"])
    try a.send(to: b)
    let text = FieldPath(b.property("Note", "text")[0])
    try b.write { b in
      try b.file.assign(b["Note"].id, id: notes(b)[0], text, .scalar(.string("late")))
    }
    try delete(ids.prefix(1), at: a)
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    #expect(try notes(b).count == 1)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    #expect(try a.file.stateDigest() == b.file.stateDigest())
  }

  // MARK: Earlier builds

  @Test func `are passed over in an earlier build's snapshot`() throws {
    let digest = try insertTombstones(a)
    try a.file.makeSnapshot()
    try b.takeSnapshot(of: a)
    #expect(try tombstoneCount(b) == 0)
    #expect(try b.file.stateDigest() == digest)
    #expect(try notes(b).count == 1)
  }

  /// Inserts the tombstones that version 1 of the protocol kept; returns the digest without them.
  private func insertTombstones(_ store: TestStore) throws -> StateDigest {
    let ids = try make(["gone", "gone too", "kept"])
    let note = store["Note"].id.rawValue
    let connection = try Connection(path: store.path, access: .readWrite)
    defer { connection.close() }
    let key = try connection.texts("SELECT key_column FROM atoll_class WHERE id = \(note)")[0]
    try connection.execute(
      """
      INSERT INTO atoll_dead (class, key, life)
      SELECT \(note), "\(key)", 2 FROM Note WHERE _id <= \(ids[1].rawValue)
      """)
    try delete(ids[0...1], at: store, isChecked: false)
    let digest = try store.file.stateDigest()
    for (stored, sum) in try store.file.recomputedDigests() where stored.id.rawValue == note {
      let (high, low) = (Int64(bitPattern: sum.high), Int64(bitPattern: sum.low))
      try connection.execute(
        "UPDATE atoll_digest SET high = \(high), low = \(low) WHERE class = \(note)")
    }
    return digest
  }

  // MARK: Notes

  private func make(_ texts: [String]) throws -> [RowID] {
    var ids: [RowID] = []
    try a.write { a in
      let text = a.property("Note", "text")[0]
      for value in texts {
        ids.append(
          try a.file.create(
            a["Note"].id, key: nil, fields: [NewField(text, .scalar(.string(value)))]))
      }
    }
    return ids
  }

  private func delete(
    _ ids: some Sequence<RowID>, at store: TestStore, isChecked: Bool = true
  ) throws {
    try store.file.beginWrite()
    for id in ids { try store.file.delete(store["Note"].id, id: id) }
    try store.file.commitWrite()
    if isChecked { try store.checkDigests() }
  }

  private func notes(_ store: TestStore) throws -> [RowID] {
    var found: [RowID] = []
    let rows = try store.file.rows(StoreQuery(store["Note"].id))
    while let row = try rows.next() { found.append(row.id) }
    return found
  }

  private func tombstoneCount(_ store: TestStore) throws -> Int64? {
    try Connection(path: store.path, access: .readOnly)
      .integer("SELECT count(*) FROM atoll_dead")
  }
}
