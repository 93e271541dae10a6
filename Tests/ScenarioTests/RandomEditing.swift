import AtollStorage
import AtollVocabulary
import TestKit

extension SeededRandom {
  /// Three peers with one document, who have written so many transactions, and heard of some of the others'.
  mutating func peers(writing transactions: Int, in folder: TemporaryFolder? = nil) throws -> [Peer]
  {
    let peers = try ["A", "B", "C"].map { try Peer($0, in: folder) }
    try peers[0].write(at: 0, Model.fill)
    try exchange(peers)
    for _ in 0..<transactions {
      let peer = peers[below(3)]
      if chance(1, of: 4) { try peer.receive(from: peers[below(3)]) }
      try peer.write(at: Int64(below(50))) {
        for _ in 0...below(3) { try edit($0, in: peer.store) }
      }
    }
    return peers
  }

  /// One insert, removal, move or assignment somewhere in a list.
  mutating func edit(_ list: EditingList, _ value: Given? = nil) throws {
    let count = try list.count
    let value = value ?? .int(below(1000))
    switch below(count == 0 ? 1 : 5) {
    case 0: try list.insert(value, at: below(count + 1))
    case 1: try list.remove(below(count))
    case 2: try list.move(below(count), to: below(count))
    case 3: try list.set(below(count), value)
    default: try chance(1, of: 4) ? list.clear() : list.append(value)
    }
  }

  private mutating func edit(_ members: EditingSet) throws {
    switch below(8) {
    case 0..<4: try members.insert(.int(below(5)))
    case 4..<7: try members.remove(.int(below(5)))
    default: try members.clear()
    }
  }

  private mutating func edit(_ map: EditingMap) throws {
    switch below(8) {
    case 0..<4: try map.set("\(below(3))", .int(below(1000)))
    case 4..<7: try map.remove("\(below(3))")
    default: try map.clear()
    }
  }

  /// Edits the list or map in a slot of any type, if it holds one.
  private mutating func edit(inside document: Editing) throws {
    try? edit(try document.listInside("any"))
    try? edit(try document.mapInside("any"))
  }

  private mutating func anyValue() -> Given {
    switch below(5) {
    case 0: .elements([.int(below(10)), .elements([.int(below(10))])])
    case 1: .named([("k", .int(below(10))), ("l", .named([]))])
    case 2: .text("\(below(10))")
    case 3: .null
    default: .int(below(10))
    }
  }

  /// One operation on any kind of cell of document 1 or 7, or on one of the targets.
  mutating func edit(_ transaction: Transaction, in store: StoreFile) throws {
    let key = chance(1, of: 3) ? 7 : 1
    guard let document = try transaction.find("Document", key) else {
      return try create(key, transaction)
    }
    switch below(22) {
    case 0: try transaction.delete("Document", key)
    case 1: try document.set("n", .int(below(100)))
    case 2: try document.add(Int64(below(100)), to: "n")
    case 3: try document.set("nn", chance(1, of: 2) ? nil : .int(below(100)))
    case 4: try document.set("one", chance(1, of: 3) ? nil : pair())
    case 5, 6:
      try? document.embedded("one").set(chance(1, of: 2) ? "v" : "w", .int(below(100)))
    case 7, 8: try edit(try document.list("items"))
    case 9: try editTarget(transaction)
    case 10: try document.set("link", try target(transaction))
    case 11:
      let value = try target(transaction)
      if case .target = value { try document.list("links").append(value) }
    case 14, 15: try edit(try document.members("tags"))
    case 16, 17: try edit(try document.map("dict"))
    case 18: try document.set("any", anyValue())
    case 19: try edit(inside: document)
    case 20: try edit(try document.list("anys"), anyValue())
    case 21: try document.map("anyDict").set("\(below(3))", anyValue())
    default: try editElements(try document.list("es"))
    }
  }

  private mutating func create(_ key: Int, _ transaction: Transaction) throws {
    let document = try transaction.create(
      "Document", key, ["name": .text("\(below(100))"), "one": pair()],
      defaults: ["n": .int(below(3)), "token": .uuid(UInt64(below(1000)))])
    if chance(1, of: 2) { try document.list("items").append(.int(below(1000))) }
  }

  private mutating func editTarget(_ transaction: Transaction) throws {
    let key = 1 + below(3)
    if try transaction.find("Target", key) != nil {
      try transaction.delete("Target", key)
    } else {
      try transaction.create("Target", key)
    }
  }

  private mutating func editElements(_ list: EditingList) throws {
    let count = try list.count
    guard count > 0, chance(2, of: 3) else {
      return try list.insert(["v": .int(below(100))], at: below(count + 1))
    }
    let element = try list.element(below(count))
    switch below(5) {
    case 0: try list.remove(below(count))
    case 1: try list.move(below(count), to: below(count))
    case 2: try list.set(below(count), ["v": .int(below(100))])
    case 3: try element.set("v", .int(below(100)))
    default: try edit(try element.list("inner"))
    }
  }

  private mutating func pair() -> Given { ["v": .int(below(100)), "w": .int(below(100))] }

  private mutating func target(_ transaction: Transaction) throws -> Given {
    let key = 1 + below(3)
    return try transaction.find("Target", key) == nil ? nil : .target(key)
  }
}
