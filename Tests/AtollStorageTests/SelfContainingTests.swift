import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `classes inside themselves` {
  private let model = [
    ClassSchema(
      name: "Comment", isEmbedded: true,
      properties: [
        PropertySchema(name: "text", type: .string),
        PropertySchema(name: "replies", type: .embedded, collection: .list, target: "Comment"),
        PropertySchema(name: "votes", type: .embedded, collection: .map, target: "Vote"),
      ]),
    ClassSchema(
      name: "Vote", isEmbedded: true,
      properties: [
        PropertySchema(name: "n", type: .int),
        PropertySchema(name: "why", type: .embedded, isOptional: true, target: "Comment"),
      ]),
    ClassSchema(
      name: "Post", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "comments", type: .embedded, collection: .list, target: "Comment"),
        PropertySchema(name: "pinned", type: .embedded, isOptional: true, target: "Comment"),
      ]),
  ]

  private func field(_ store: TestStore, _ path: String..., value: NewValue) throws -> NewField {
    let property = try #require(store[path[0]].property(named: path[1]))
    return NewField(property, value, isAssigned: true)
  }

  /// A comment with a chain of replies below it, and votes with reasons on each.
  private func thread(_ store: TestStore, _ depth: Int) throws -> NewValue {
    let why = NewValue.embedded([
      try field(store, "Comment", "text", value: .scalar(.string("because")))
    ])
    let vote = NewValue.embedded([
      try field(store, "Vote", "n", value: .scalar(.int(Int64(depth)))),
      try field(store, "Vote", "why", value: why),
    ])
    return .embedded([
      try field(store, "Comment", "text", value: .scalar(.string("at \(depth)"))),
      try field(
        store, "Comment", "replies", value: .list(depth > 1 ? [thread(store, depth - 1)] : [])),
      try field(store, "Comment", "votes", value: .map([NewEntry(key: "k", value: vote)])),
    ])
  }

  private func create(_ key: Int64, depth: Int, in store: TestStore) throws {
    try store.write { store in
      _ = try store.file.create(
        store["Post"].id, key: .int(key),
        fields: [
          try field(store, "Post", "comments", value: .list([thread(store, depth)])),
          try field(store, "Post", "pinned", value: thread(store, 2)),
        ])
    }
  }

  @Test func `issue 28.9: threads come with a log and with a snapshot, whatever is opened already`()
    throws
  {
    let a = try TestStore("a", model: model)
    let (log, none, deep) = (
      try TestStore("log", model: []), try TestStore("none", model: []),
      try TestStore("deep", model: model)
    )
    try create(1, depth: 7, in: a)
    try create(2, depth: 2, in: a)
    try create(3, depth: 10, in: deep)
    try a.send(to: log)
    try a.file.makeSnapshot()
    try none.takeSnapshot(of: a)
    for store in [log, none] {
      #expect(try store.exported() == a.exported())
      #expect(try store.file.stateDigest() == a.file.stateDigest())
    }
    try a.send(to: deep)
    try deep.send(to: a)
    try deep.send(to: log)
    #expect(try Set([a, log, deep].map { try $0.exported() }).count == 1)
    #expect(try Set([a, log, deep].map { try $0.file.stateDigest() }).count == 1)
    for store in [a, log, none, deep] { #expect(try store.file.verify() == []) }
    let path = log.path
    log.file.close()
    let again = try StoreFile.open(path)
    #expect(try again.stateDigest() == a.file.stateDigest())
    #expect(try again.verify() == [])
    again.close()
  }

  @Test func `issue 28.9: sixteen levels are written, and one more is refused with a sentence`()
    throws
  {
    let store = try TestStore("store", model: model)
    try create(1, depth: 15, in: store)
    let before = try store.exported()
    let error = #expect(throws: StorageError.self) { try create(2, depth: 30, in: store) }
    #expect(error?.description.contains("limit of 16") == true, "\(String(describing: error))")
    #expect(try store.exported() == before)
    #expect(try store.file.verify() == [])
  }

  @Test func `issue 28.9: a property that comes later is in every level`() throws {
    let (a, b) = (try TestStore("a", model: model), try TestStore("b", model: model))
    try create(1, depth: 4, in: a)
    try a.send(to: b)
    var wider = model
    wider[0].properties.append(PropertySchema(name: "likes", type: .int))
    wider[0].properties.append(PropertySchema(name: "tags", type: .string, collection: .set))
    _ = try b.file.adopt(wider)
    for stored in try b.file.classes { b.classes[stored.name] = stored }
    try create(2, depth: 5, in: b)
    try b.send(to: a)
    #expect(try a.exported() == b.exported())
    #expect(try a.file.stateDigest() == b.file.stateDigest())
    for store in [a, b] { #expect(try store.file.verify() == []) }
  }
}
