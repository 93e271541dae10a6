import AtollQuery
import AtollStorage
import AtollVocabulary
import Testing

/// The objects of a history under one number: something in a cell of every kind that is named by
/// its author and time.
///
/// Each edit leaves a mark of its own in all of it, so that none hides that another was lost.
struct BranchMatter {
  static let schema =
    Model.schema + [
      ClassSchema(
        name: "Note",
        properties: [
          PropertySchema(name: "text", type: .string),
          PropertySchema(name: "count", type: .int),
          PropertySchema(name: "marks", type: .int, collection: .list),
          PropertySchema(name: "next", type: .link, isOptional: true, target: "Note"),
          PropertySchema(name: "notes", type: .link, collection: .list, target: "Note"),
          PropertySchema(name: "friends", type: .link, collection: .set, target: "Note"),
          PropertySchema(name: "named", type: .link, collection: .map, target: "Note"),
          PropertySchema(name: "any", type: .any),
        ])
    ]

  let number: Int

  private var name: String { "k\(number)" }
  /// The key of a document of its own.
  private var key: Int { 1000 + number }

  /// Returns a peer's state of it.
  static func all(on store: StoreFile) throws -> [BranchMatter] {
    try Transaction(store: store).document.map("dict").keys.compactMap { Int($0.dropFirst()) }
      .map(BranchMatter.init)
  }

  func make(in transaction: Transaction) throws {
    let document = try transaction.document
    try document.list("es").append(["v": .int(number)])
    try document.map("dict").set(name, .int(number))
    try document.map("em").set(name, ["v": .int(number), "w": 0])
    try document.map("anyDict").set(name, [.int(number)])
    let own = try transaction.create("Document", key, ["one": ["v": .int(number), "w": 0]])
    try own.set("n", .int(number))
    try own.set("any", [.int(number)])
    try own.list("anys").append([.int(number)])
    for item in [number, -1] { try own.list("items").append(.int(item)) }
    for item in 1...3 { try own.list("links").append(.target(item)) }
    try own.list("es").append(["v": 0])
    let note = try transaction.makeNote("\(number)")
    try note.members("friends").insert(.object(note))
    try transaction.makeNote("gone \(number)")
  }

  func edit(_ mark: Int, in transaction: Transaction) throws {
    let document = try transaction.document
    let place = try #require(try place(in: document.list("es")))
    try document.list("es").element(place).list("inner").append(.int(mark))
    try document.map("dict").set(name, .int(mark))
    try document.map("em").entry(name).add(1, to: "w")
    try document.map("anyDict").listInside(name).append(.int(mark))
    try editOwn(mark, try transaction.object("Document", key))
    try editNotes(mark, transaction)
  }

  private func editOwn(_ mark: Int, _ own: Editing) throws {
    try own.add(1000, to: "n")
    try own.embedded("one").add(1, to: "w")
    try own.listInside("any").append(.int(mark))
    try own.list("anys").listInside(0).append(.int(mark))
    try own.list("items").set(0, .int(mark))
    if try own.list("links").count == 3 {
      try own.list("links").remove(0)
      try own.list("links").move(1, to: 0)
    }
    if try own.list("es").count > 0 { try own.list("es").clear() }
  }

  private func editNotes(_ mark: Int, _ transaction: Transaction) throws {
    let note = try #require(try transaction.note("\(number)"))
    try note.add(1, to: "count")
    try note.list("marks").append(.int(mark))
    try note.members("friends").remove(.object(note))
    if let gone = try transaction.note("gone \(number)") {
      try transaction.store.delete(gone.type.id, id: gone.id)
    }
    let other = try transaction.makeNote("\(mark) on \(number)")
    try other.set("next", .object(note))
    try other.set("any", .object(note))
    try other.list("notes").append(.object(note))
    try other.members("friends").insert(.object(note))
    try other.map("named").set("it", .object(note))
  }

  /// One step on the note's counter.
  func step(in transaction: Transaction) throws {
    try #require(try transaction.note("\(number)")).add(1, to: "count")
  }

  /// Ends the note.
  func end(in transaction: Transaction) throws {
    let note = try #require(try transaction.note("\(number)"))
    try transaction.store.delete(note.type.id, id: note.id)
  }

  private func place(in list: EditingList) throws -> Int? {
    try list.elements.firstIndex {
      if case .embedded(let fields) = $0.value {
        fields.first == .int(Int64(number))
      } else {
        false
      }
    }
  }

  /// All edits are there; `marks` are theirs, in any order.
  func expect(_ marks: Set<Int>, on peer: Peer) throws {
    let store = Transaction(store: peer.store)
    let (document, count) = (try store.document, marks.count)
    let place = try #require(try place(in: document.list("es")), "no element \(number)")
    #expect(try Set(document.list("es").element(place).list("inner").numbers) == marks)
    #expect(try peer.shows("em").contains("\(name): {\(number), \(count)}"))
    let made = marks.union([number])
    #expect(try Set(document.map("anyDict").listInside(name).numbers) == made)
    let own = try store.object("Document", key)
    #expect(try peer.shows("n", of: "Document", key) == "\(number + 1000 * count)")
    #expect(try peer.shows("one", of: "Document", key) == "{\(number), \(count)}")
    #expect(try Set(own.listInside("any").numbers) == made)
    #expect(try Set(own.list("anys").listInside(0).numbers) == made)
    let isEdited = !marks.isEmpty
    let item = try #require(try own.list("items").numbers.first)
    let entry = try #require(try document.map("dict").numbers[name])
    #expect((isEdited ? marks : made).isSuperset(of: [item, entry]))
    #expect(
      try peer.shows("links", of: "Document", key) == (isEdited ? "[T3, T2]" : "[T1, T2, T3]"))
    #expect(try own.list("es").count == (isEdited ? 0 : 1))
    try expectNotes(marks, store)
  }

  private func expectNotes(_ marks: Set<Int>, _ store: Transaction) throws {
    let note = try #require(try store.note("\(number)"), "no note \(number)")
    #expect(try note.value("count") == .int(Int64(marks.count)))
    #expect(try Set(note.list("marks").numbers) == marks)
    #expect(try note.members("friends").elements.isEmpty == !marks.isEmpty)
    #expect(try (store.note("gone \(number)") == nil) == !marks.isEmpty)
    let link = StoredElement.Value.link(note.type.id, note.id)
    for mark in marks {
      let other = try #require(try store.note("\(mark) on \(number)"), "no note \(mark)")
      #expect(try other.value("next") == .int(note.id.rawValue))
      #expect(try other.other("any") == link)
      #expect(try other.list("notes").elements.map(\.value) == [link])
      #expect(try other.members("friends").elements.map(\.value) == [link])
      #expect(try other.map("named").elements["it"]?.value == link)
    }
  }
}

// Notes have no keys that a scenario could name.
extension Transaction {
  @discardableResult
  fileprivate func makeNote(_ text: String) throws -> Editing {
    let type = try #require(try store.storedClass(named: "Note"))
    let id = try store.create(
      type.id, key: nil,
      fields: [
        NewField(try #require(type.property(named: "text")), .scalar(.string(text))),
        NewField(try #require(type.property(named: "count")), .scalar(.int(0)), isAssigned: false),
      ])
    return Editing(store: store, type: type, id: id)
  }

  fileprivate func note(_ text: String) throws -> Editing? {
    let type = try #require(try store.storedClass(named: "Note"))
    let path = PropertyPath(try #require(type.property(named: "text")))
    let query = StoreQuery(
      type.id, where: .comparison(.path(path), .equal, .value(.string(text))))
    return try store.ids(query).first.map { Editing(store: store, type: type, id: $0) }
  }
}

extension Editing {
  fileprivate func value(_ name: String) throws -> PersistedValue {
    let column = try #require(type.column([try path(name).property]))
    return try #require(try store.row(of: type.id, id: id)).columns[column]
  }

  /// Returns the contents of an any-typed slot that are no scalar.
  fileprivate func other(_ name: String) throws -> StoredElement.Value? {
    let column = try #require(type.column([try path(name).property]))
    return try #require(try store.row(of: type.id, id: id)).others[column]
  }
}

extension EditingList {
  fileprivate var elements: [StoredElement] {
    get throws { try object.store.elements(of: object.type.id, id: object.id, list: path) }
  }

  fileprivate var numbers: [Int] { get throws { try elements.compactMap(\.number) } }
}

extension EditingSet {
  fileprivate var elements: [StoredElement] {
    get throws { try object.store.members(of: object.type.id, id: object.id, set: path) }
  }
}

extension EditingMap {
  fileprivate var elements: [String: StoredElement] {
    get throws {
      let entries = try object.store.entries(of: object.type.id, id: object.id, map: path)
      return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.element) })
    }
  }

  fileprivate var numbers: [String: Int] { get throws { try elements.compactMapValues(\.number) } }
}

extension StoredElement {
  fileprivate var number: Int? {
    if case .scalar(.int(let number)) = value { Int(number) } else { nil }
  }
}
