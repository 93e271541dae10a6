import Atoll
import AtollQuery
import AtollStorage
import Foundation
import TestKit
import Testing

/// The queries for objects in canonical text: as many for ten as for a hundred, however many links
/// and collections they have.
@Suite struct CanonicalTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  /// A store with so many vessels, of which each has so much in its hold, and a few havens, of which
  /// one is deleted.
  private func makeFile(_ name: String, vessels: Int, hold: Int = 5) throws -> StoreFile {
    let url = folder.file(name)
    let store = try Store(configuration: .init(fileURL: url, objectTypes: Vessel.types))
    try store.write {
      let havens = (0..<5).map { store.create(Haven.self, value: ["code": "H\($0)"]) }
      for number in 0..<vessels { Vessel.make(number, in: store, havens, hold) }
      store.delete(havens[4])
    }
    let file = try StoreFile.open(
      url.path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    try file.beginRead()
    return file
  }

  private func query(_ text: String, of file: StoreFile) throws -> StoreQuery {
    let classes = try file.classes
    let vessel = try #require(classes.first { $0.name == "Vessel" })
    return try PredicateParser.query(
      text, from: StoreQuery(vessel.id), in: PredicateScope(subject: vessel, classes: classes))
  }

  private func lines(_ text: String, of file: StoreFile) throws -> [String] {
    var lines: [String] = []
    try file.export(try query(text, of: file)) { lines.append($0) }
    return lines
  }

  private func statements(_ text: String, of file: StoreFile) throws -> Int {
    let query = try query(text, of: file)
    let trace = try file.traced { try file.export(query) { _ in } }
    return trace.statements.count
  }

  @Test func `the objects of a query are read together, with all that they hold`() throws {
    let file = try makeFile("a.atoll", vessels: 300)
    defer { file.close() }
    let ten = try statements("number < 10", of: file)
    #expect(try statements("number < 100", of: file) == ten)
    let two = try statements("number < 200", of: file)
    #expect(two - ten == 26, "one a table, one more a level in any-typed slots, two for havens")
    #expect(try statements("number < 300", of: file) - two == two - ten, "pages of 128")
  }

  @Test func `everything is read together`() throws {
    var counts: [Int] = []
    for vessels in [10, 100] {
      let file = try makeFile("\(vessels).atoll", vessels: vessels)
      defer { file.close() }
      for walk in Self.walks {
        counts.append(try file.traced { try walk(file) }.statements.count)
      }
    }
    #expect(Array(counts.prefix(Self.walks.count)) == Array(counts.suffix(Self.walks.count)))
  }

  private static var walks: [(StoreFile) throws -> Void] {
    [{ try $0.export { _ in } }, { _ = try $0.digest() }]
  }

  @Test func `objects come as export writes them, in the order of the query`() throws {
    let file = try makeFile("a.atoll", vessels: 300)
    defer { file.close() }
    var all: [String] = []
    try file.export { line in if line.hasPrefix(#"{"class":"Vessel""#) { all.append(line) } }
    #expect(all.count == 300)
    #expect(all[1] == Vessel.textOfOne)
    #expect(try lines("TRUEPREDICATE SORT(number ASC)", of: file) == all)
    #expect(try lines("TRUEPREDICATE SORT(number DESC)", of: file) == all.reversed())
    #expect(
      try lines("number > 3 SORT(number DESC) LIMIT(150)", of: file)
        == Array(all.reversed().prefix(150)))
    #expect(try lines("number < 0", of: file) == [])
  }

  @Test func `large objects are read by smaller pages, and come out whole`() throws {
    let file = try makeFile("a.atoll", vessels: 40, hold: 500_000)
    defer { file.close() }
    let all = try lines("number < 40", of: file)
    #expect(all.count == 40 && all.allSatisfy { $0.utf8.count > 500_000 })
    for number in [0, 15, 16, 39] {
      #expect(try lines("number == \(number)", of: file) == [all[number]])
    }
    let few = try statements("number < 10", of: file)
    #expect(try statements("number < 40", of: file) > few, "20 MB are not read together")
  }
}

/// The target of a vessel's links.
final class Haven: Object {
  @Persisted(primaryKey: true) var code: String
}

final class Berth: EmbeddedObject {
  @Persisted var haven: Haven?
  @Persisted var marks: List<Int>
  @Persisted var note: AnyValue
}

/// An object with links and collections in every place where there can be some.
final class Vessel: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var home: Haven?
  @Persisted var berth: Berth?
  @Persisted var berths: List<Berth>
  @Persisted var calls: List<Haven>
  @Persisted var cargo: AnyValue
  @Persisted var depths: List<Int>
  @Persisted var extras: List<AnyValue>
  @Persisted var flags: MutableSet<String>
  @Persisted var friends: MutableSet<Haven>
  @Persisted var posts: Map<String, Berth?>
  @Persisted var tolls: Map<String, Haven?>

  static let types: [ObjectBase.Type] = [Vessel.self, Haven.self, Berth.self]

  static func make(_ number: Int, in store: Store, _ havens: [Haven], _ hold: Int) {
    let haven = havens[number % havens.count]
    let vessel = store.create(Vessel.self, value: ["number": number, "home": haven])
    vessel.berth = berth(number, haven)
    vessel.berths.append(objectsIn: [berth(1, haven), berth(2, havens[0])])
    vessel.calls.append(objectsIn: havens)
    vessel.cargo = [
      "deck": [1, .object(haven), ["deep": [.int(number % 3)]]], "hold": .string(wheat(hold)),
    ]
    vessel.depths.append(objectsIn: [3, number, 1])
    vessel.extras.append(objectsIn: [.object(haven), [1, [2]], "x"])
    vessel.flags.insert(objectsIn: ["b", "a\(number)"])
    vessel.friends.insert(objectsIn: havens)
    vessel.posts["bow"] = berth(number, havens[3])
    vessel.tolls["paid"] = haven
    vessel.tolls["owed"] = .some(nil)
  }

  private static func wheat(_ count: Int) -> String { String(repeating: "w", count: count) }

  private static func berth(_ number: Int, _ haven: Haven) -> Berth {
    let berth = Berth()
    berth.haven = haven
    berth.marks.append(objectsIn: [number, 7])
    berth.note = [.object(haven), [.int(number % 5)]]
    return berth
  }

  /// The second of those made, as `export` writes it.
  static let textOfOne = #"""
    {"class":"Vessel","key":1,\#
    "berth":{"haven":{"class":"Haven","key":"H1"},"marks":[1,7],\#
    "note":[{"class":"Haven","key":"H1"},[1]]},\#
    "berths":[{"haven":{"class":"Haven","key":"H1"},"marks":[1,7],\#
    "note":[{"class":"Haven","key":"H1"},[1]]},\#
    {"haven":{"class":"Haven","key":"H0"},"marks":[2,7],\#
    "note":[{"class":"Haven","key":"H0"},[2]]}],\#
    "calls":[{"class":"Haven","key":"H0"},{"class":"Haven","key":"H1"},\#
    {"class":"Haven","key":"H2"},{"class":"Haven","key":"H3"}],\#
    "cargo":{"deck":[1,{"class":"Haven","key":"H1"},{"deep":[1]}],"hold":"wwwww"},\#
    "depths":[3,1,1],"extras":[{"class":"Haven","key":"H1"},[1,[2]],"x"],"flags":["a1","b"],\#
    "friends":[{"class":"Haven","key":"H0"},{"class":"Haven","key":"H1"},\#
    {"class":"Haven","key":"H2"},{"class":"Haven","key":"H3"}],\#
    "home":{"class":"Haven","key":"H1"},\#
    "posts":{"bow":{"haven":{"class":"Haven","key":"H3"},"marks":[1,7],\#
    "note":[{"class":"Haven","key":"H3"},[1]]}},\#
    "tolls":{"owed":null,"paid":{"class":"Haven","key":"H1"}}}

    """#
}
