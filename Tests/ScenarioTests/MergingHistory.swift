import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// The histories of `vectors/changesets/merging.txt`: what two or three replicas wrote, at the same time where it says
/// so.
///
/// `ATOLL_MERGING=1 swift test --filter 'the vectors of merging are made'` writes the file.
struct MergingHistory: Sendable {
  static let areWanted = ProcessInfo.processInfo.environment["ATOLL_MERGING"] != nil

  static let head = """
    # Merging: `protocol/changeset.md`, `digest.md` and `export.md`. Each block has the changesets of a history, each after those
    # that it depends on; the hash of everything that there is in the end, with a name of it; the digest of each class and of
    # the store; and the lines of the export. In each, A's author comes before B's. Where the store has owners, its id stands
    # before the changesets.

    """

  let name: String
  /// True if A founds the store, and admits B before anything else.
  let hasOwners: Bool
  let write: @Sendable (_ a: Peer, _ b: Peer) throws -> Void

  init(
    _ name: String, hasOwners: Bool = false,
    write: @escaping @Sendable (_ a: Peer, _ b: Peer) throws -> Void
  ) {
    self.name = name
    self.hasOwners = hasOwners
    self.write = write
  }

  /// Two replicas that have all of it, in memory where there is no folder.
  func peers(in folder: TemporaryFolder? = nil) throws -> (a: Peer, b: Peer) {
    let a = try Peer("A", in: folder, storeID: hasOwners ? nil : Peer.storeID)
    let b = try Peer("B", in: folder, storeID: a.store.storeID)
    if hasOwners {
      a.clock.set(secondsAfterStart: 0)
      try a.store.admit(b.store.author.replica, as: .writer)
      try b.receive(from: a)
    }
    try write(a, b)
    try exchange([a, b])
    try expectEqual([a, b], "\(name)")
    return (a, b)
  }

  /// The store that has all of it.
  func written() throws -> StoreFile {
    let a = try peers().a
    let store = try StoreFile.open(
      StoreFile.inMemory, options: StoreOptions(storeID: a.store.storeID))
    _ = try store.apply(
      try a.changesets().map { entry in
        var incoming = entry.incoming
        incoming.seal = nil
        return incoming
      })
    return store
  }

  /// Its changesets in the order of the store's log.
  func log(of store: StoreFile) throws -> [(author: String, bytes: [UInt8])] {
    try store.entries(lackedBy: VersionVector(), after: .start, limitBytes: .max).entries
      .map { ("\($0.id.author)", $0.bytes) }
  }

  static let all = [
    MergingHistory("two assign: the later stamp, by time, then author") { a, b in
      try a.write(at: 0) { try $0.create("Document", 1, ["n": 0, "m": 0]) }
      try b.receive(from: a)
      try a.write(at: 10) {
        try $0.document.set("n", 1)
        try $0.document.set("m", 1)
      }
      try b.write(at: 9) { try $0.document.set("n", 2) }
      try b.write(at: 10) { try $0.document.set("m", 2) }
    },
    MergingHistory("two create: what was assigned beats a later default") { a, b in
      try a.write(at: 0) {
        try $0.create(
          "Document", 1, ["n": 1, "one": ["v": 1, "w": 1]], defaults: ["m": 5, "name": "a"])
      }
      try b.write(at: 10) {
        try $0.create(
          "Document", 1, ["name": "b"], defaults: ["n": 0, "m": 7, "one": ["v": 2, "w": 2]])
      }
    },
    MergingHistory("steps: on an assignment, on a default, and on what was replaced") { a, b in
      try a.write(at: 0) { try $0.create("Document", 1, ["n": 10], defaults: ["m": 5]) }
      try b.receive(from: a)
      try a.write(at: 10) {
        try $0.document.add(1, to: "n")
        try $0.document.add(2, to: "m")
        try $0.document.set("nn", 100)
      }
      try b.write(at: 5) {
        try $0.document.add(20, to: "n")
        try $0.document.add(30, to: "m")
      }
      try exchange([a, b])
      try a.write(at: 20) {
        try $0.document.set("n", 0)
        try $0.document.add(4, to: "nn")
      }
      try b.write(at: 15) {
        try $0.document.add(7, to: "n")
        try $0.document.set("nn", 1)
      }
    },
    MergingHistory("steps on a default that another default replaces, a value and nil") { a, b in
      try a.write(at: 0) { try $0.create("Document", 1, defaults: ["n": 5, "nn": 5]) }
      try b.write(at: 10) { try $0.create("Document", 1, defaults: ["n": 7, "nn": nil]) }
      try a.write(at: 5) {
        try $0.document.add(3, to: "n")
        try $0.document.add(3, to: "nn")
      }
    },
    MergingHistory("deleted and written to, and made again") { a, b in
      try a.write(at: 0) {
        try $0.create("Document", 1, ["n": 1, "name": "first"])
        try $0.create("Target", 1)
        try $0.create("Target", 2)
      }
      try b.receive(from: a)
      try a.write(at: 10) {
        try $0.delete("Document", 1)
        try $0.delete("Target", 1)
        try $0.delete("Target", 2)
        try $0.create("Target", 2)
      }
      try b.write(at: 20) { try $0.document.set("n", 2) }
      try b.receive(from: a)
      try b.write(at: 30) { try $0.create("Document", 1, ["m": 3]) }
    },
    MergingHistory("a list: inserts at one place, a move and a removal, a clear") { a, b in
      try a.write(at: 0) { transaction in
        let items = try transaction.create("Document", 1).list("items")
        for value in 1...4 { try items.append(.int(value)) }
      }
      try b.receive(from: a)
      try a.write(at: 10) { transaction in
        let items = try transaction.document.list("items")
        try items.insert(11, at: 2)
        try items.insert(12, at: 3)
        try items.move(0, to: 5)
        try items.set(1, 22)
      }
      try b.write(at: 10) { transaction in
        let items = try transaction.document.list("items")
        try items.insert(21, at: 2)
        try items.insert(22, at: 2)
        try items.remove(0)
        try items.move(0, to: 3)
      }
      try exchange([a, b])
      try a.write(at: 20) { try $0.document.list("items").clear() }
      try b.write(at: 20) { try $0.document.list("items").append(30) }
    },
    MergingHistory("members and entries: the later of an insert and a removal") { a, b in
      try a.write(at: 0) { transaction in
        let document = try transaction.create("Document", 1)
        for value in 1...3 { try document.members("tags").insert(.int(value)) }
        for key in ["a", "b", "é"] { try document.map("dict").set(key, 1) }
      }
      try b.receive(from: a)
      try a.write(at: 10) { transaction in
        let document = try transaction.document
        try document.members("tags").remove(1)
        try document.members("tags").remove(2)
        try document.map("dict").remove("a")
        try document.map("dict").set("b", 2)
      }
      try b.write(at: 5) { transaction in
        let document = try transaction.document
        try document.members("tags").insert(1)
        try document.map("dict").set("a", 3)
      }
      try b.write(at: 15) { transaction in
        let document = try transaction.document
        try document.members("tags").insert(2)
        try document.map("dict").remove("b")
      }
    },
    MergingHistory("decimals: equal numbers are one member, and show the later one's digits") {
      a, b in
      try a.write(at: 0) { transaction in
        let document = try transaction.create(
          "Document", 1, ["price": .decimal(decimal(150, -2))])
        try document.members("prices").insert(.decimal(decimal(15, -1)))
        try document.members("prices").insert(.decimal(decimal(0, 0)))
      }
      try b.receive(from: a)
      try a.write(at: 10) {
        try $0.document.members("prices").insert(.decimal(decimal(1500, -3)))
      }
      try b.write(at: 20) {
        try $0.document.members("prices").insert(.decimal(decimal(150, -2)))
        try $0.document.members("prices").insert(.decimal(decimal(12_345, 3)))
      }
    },
    MergingHistory("an embedded object that is replaced while a field of it is assigned") { a, b in
      try a.write(at: 0) {
        try $0.create("Document", 1, ["one": ["v": 1, "w": 1]]).map("em").set(
          "k", ["v": 1, "w": 1])
      }
      try b.receive(from: a)
      try a.write(at: 10) { transaction in
        try transaction.document.set("one", ["v": 2])
        try transaction.document.map("em").entry("k").set("v", 5)
      }
      try b.write(at: 20) { transaction in
        try transaction.document.embedded("one").set("w", 3)
        try transaction.document.map("em").entry("k").set("w", 6)
      }
    },
    MergingHistory("lists within the embedded objects of a list") { a, b in
      try a.write(at: 0) { transaction in
        let items = try transaction.create("Document", 1).list("es")
        for value in 1...3 { try items.append(["v": .int(value)]) }
        try items.element(0).list("inner").append(1)
      }
      try b.receive(from: a)
      try a.write(at: 10) { transaction in
        let items = try transaction.document.list("es")
        try items.element(0).list("inner").append(2)
        try items.element(1).set("v", 20)
        try items.move(2, to: 0)
      }
      try b.write(at: 20) { transaction in
        let items = try transaction.document.list("es")
        try items.set(0, ["v": 100])
        try items.element(1).set("v", 21)
        try items.remove(2)
      }
    },
    MergingHistory("a list and a map in a slot of any type, and in one another") { a, b in
      try a.write(at: 0) { transaction in
        let document = try transaction.create("Document", 1)
        try document.set("any", ["k": 1, "deep": [1, ["x": 2]]])
        try document.list("anys").append([1, 2])
        try document.map("anyDict").set("m", .named([("class", 1), ("key", "two")]))
      }
      try b.receive(from: a)
      try a.write(at: 10) { transaction in
        try transaction.document.mapInside("any").set("k", "text")
        try transaction.document.list("anys").append(.text("end"))
      }
      try b.write(at: 20) { transaction in
        try transaction.document.mapInside("any").set("l", nil)
        try transaction.document.map("anyDict").set("m", [3])
      }
      try exchange([a, b])
      try a.write(at: 30) { try $0.document.set("any", [7]) }
      try b.write(at: 25) { try $0.document.mapInside("any").set("late", 1) }
    },
    MergingHistory("links whose target is deleted, and made again") { a, b in
      try a.write(at: 0) { transaction in
        for key in 1...2 { try transaction.create("Target", key) }
        let document = try transaction.create(
          "Document", 1, ["link": .target(1), "any": .elements([.target(1), .target(2)])])
        for key in 1...2 {
          try document.list("links").append(.target(key))
          try document.members("friends").insert(.target(key))
          try document.map("lm").set("\(key)", .target(key))
          try document.list("anys").append(.target(key))
        }
      }
      try b.receive(from: a)
      try a.write(at: 10) { try $0.delete("Target", 1) }
      try b.write(at: 20) { try $0.document.list("links").append(.target(1)) }
      try exchange([a, b])
      try b.write(at: 30) {
        try $0.create("Target", 1)
        try $0.document.members("friends").insert(.target(1))
      }
    },
    MergingHistory("a clock that was ten years ahead, and the repair") { a, b in
      try a.write(at: 0) { try $0.create("Document", 1, ["n": 1, "m": 10]) }
      try b.receive(from: a)
      try a.write(at: 315_360_000) {
        try $0.document.set("n", 2)
        try $0.document.add(5, to: "m")
      }
      try b.write(at: 20) {
        try $0.document.set("n", 3)
        try $0.document.add(7, to: "m")
      }
      try b.receive(from: a)
      a.clock.set(secondsAfterStart: 60)
      try a.store.repairClock()
      try exchange([a, b])
      try b.write(at: 70) { try $0.document.set("n", 4) }
    },
    MergingHistory("an owner removes a replica, and what it had not applied", hasOwners: true) {
      a, b in
      try b.write(at: 0) { try $0.create("Document", 1, ["n": 1, "m": 1]) }
      try a.receive(from: b)
      try b.write(at: 10) {
        try $0.document.set("n", 2)
        try $0.create("Document", 2, ["n": 2])
      }
      a.clock.set(secondsAfterStart: 20)
      try a.store.remove(b.store.author.replica)
      try a.receive(from: b)
      try a.write(at: 30) {
        try $0.document.set("m", 3)
        try $0.create("Document", 2, ["m": 3])
      }
    },
  ]

  /// A decimal of a whole number and a power of ten.
  private static func decimal(_ number: UInt64, _ power: Int) -> Decimal128 {
    Decimal128(high: UInt64(power + 6176) << 49, low: number)
  }
}
