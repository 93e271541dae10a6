import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

/// Lists and maps in any-typed values: those of a page of objects are read together.
@Suite struct HeldCollectionTests {
  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore(Bottle.types)
    store = try place.open()
    try store.write {
      let shores = (0..<5).map { store.create(Shore.self, value: ["name": "S\($0)"]) }
      for number in 0..<300 { Bottle.make(number, in: store, shores[number % 5]) }
    }
  }

  private func bottles(_ count: Int) -> Results<Bottle> {
    store.objects(Bottle.self).where { $0.number < count }.sorted(by: \.number)
  }

  /// The statements that a loop takes, the second time.
  private func cost(of count: Int, _ body: (Bottle) -> Void) -> Int {
    for bottle in bottles(count) { body(bottle) }
    return store.traced { for bottle in bottles(count) { body(bottle) } }.statements.count
  }

  private static let loops: [(String, @Sendable (Bottle) -> Void)] = [
    ("a list's count", { #expect($0.list.listValue?.count == 3) }),
    (
      "a list's elements",
      { #expect($0.list.listValue.map { $0.map(\.intValue) }?[1] == $0.number) }
    ),
    ("an index", { #expect($0.list[1]?.intValue == $0.number) }),
    ("a map's count", { #expect($0.map.dictionaryValue?.count == 2) }),
    ("a map's value", { #expect($0.map["number"]?.intValue == $0.number) }),
    (
      "a link in a list", { #expect($0.letter[0]?.object(Shore.self)?.name == "S\($0.number % 5)") }
    ),
    ("one or the other", { #expect($0.either.listValue != nil || $0.either["a"]?.intValue == 1) }),
    ("in an embedded object", { #expect($0.cork?.mark.listValue?[0].intValue == $0.number) }),
    ("in an element", { #expect($0.values[1][0]?.intValue == $0.number) }),
    ("a list in a map", { #expect($0.map["deep"]?[0]?.intValue == 7) }),
    ("three levels", { #expect($0.nested[0]?[0]?[0]?.intValue == $0.number) }),
  ]

  @Test(arguments: loops.indices)
  func `a loop asks the file as often for a hundred objects as for ten`(index: Int) {
    let (name, loop) = Self.loops[index]
    let ten = cost(of: 10, loop)
    #expect(cost(of: 100, loop) == ten, "\(name)")
    #expect(cost(of: 300, loop) <= 3 * ten, "\(name), by pages of 128")
  }

  @Test func `what was assigned since is not taken from the page`() throws {
    try store.write {
      for bottle in bottles(20) {
        #expect(bottle.list[1]?.intValue == bottle.number)
        let before = bottle.list.listValue
        bottle.list = [.int(-bottle.number), "new"]
        #expect(before?.isInvalidated == true)
        #expect(bottle.list.listValue?.count == 2)
        #expect(bottle.list[0]?.intValue == -bottle.number)
        bottle.map["deep"] = ["x", "y"]
        #expect(bottle.map["deep"]?.listValue?.count == 2)
        bottle.map["deep"]?.listValue?.append("z")
        #expect(bottle.map["deep"]?[2]?.stringValue == "z")
        bottle.nested[0]?[0]?.listValue?.removeAll()
        #expect(bottle.nested[0]?[0]?.listValue?.isEmpty == true)
        bottle.either = ["b": 2]
        #expect(bottle.either["b"]?.intValue == 2)
        bottle.either = [bottle.list, "c"]
        #expect(bottle.either[0]?[1]?.stringValue == "new")
      }
    }
    for bottle in bottles(20) {
      #expect(bottle.list.listValue?.map(\.stringValue) == [nil, "new"])
      #expect(bottle.map["deep"]?.listValue?.count == 3)
      #expect(bottle.nested[0]?[0]?.listValue?.count == 0)
      #expect(bottle.either[1]?.stringValue == "c")
    }
  }
}

final class Shore: Object {
  @Persisted(primaryKey: true) var name: String
}

final class Cork: EmbeddedObject {
  @Persisted var mark: AnyValue
}

/// An object with lists and maps in every any-typed place.
final class Bottle: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var cork: Cork?
  @Persisted var either: AnyValue
  @Persisted var letter: AnyValue
  @Persisted var list: AnyValue
  @Persisted var map: AnyValue
  @Persisted var nested: AnyValue
  @Persisted var values: List<AnyValue>

  static let types: [ObjectBase.Type] = [Bottle.self, Shore.self, Cork.self]

  static func make(_ number: Int, in store: Store, _ shore: Shore) {
    let bottle = store.create(Bottle.self, value: ["number": number])
    let cork = Cork()
    cork.mark = [.int(number)]
    bottle.cork = cork
    bottle.either = number % 2 == 0 ? ["a": 1] : [1, 2]
    bottle.letter = [.object(shore)]
    bottle.list = ["x", .int(number), .object(shore)]
    bottle.map = ["number": .int(number), "deep": [7, 8]]
    bottle.nested = [[[.int(number)], [2]], [3]]
    bottle.values.append(objectsIn: ["first", [.int(number)]])
  }
}
