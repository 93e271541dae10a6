import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rule 66: enums stored as their raw values.
@Suite struct EnumRuleTests {
  @Test(arguments: EnumCase.all)
  func `rule 66: the default is the first case, optionals start with nil`(_ rule: EnumCase) throws {
    func check<E: EnumSample>(_: E.Type) throws {
      #expect(EnumBearer<E>().value == E.allCases.first)
      #expect(EnumBearer<E>().optional == nil)
      let folder = TemporaryStore([EnumBearer<E>.self])
      let store = try folder.open()
      try store.write {
        #expect(store.create(EnumBearer<E>.self).value == E.allCases.first)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: EnumCase.all)
  func `rule 66: a raw value without a case is nil where that is possible, and stays`(
    _ rule: EnumCase
  ) throws {
    func check<E: EnumSample>(_: E.Type) throws {
      let folder = TemporaryStore([EnumBearer<E>.self])
      let store = try folder.open()
      let object = try store.write {
        store.create(
          EnumBearer<E>.self,
          value: [
            "value": E.unknown, "optional": E.unknown, "list": [E.unknown], "set": [E.unknown],
            "map": ["a": E.unknown],
          ])
      }
      #expect(object.optional == nil && object.$optional.persistedValue == E.unknown)
      #expect(!object.$value.isConvertible && object.$value.persistedValue == E.unknown)
      #expect(throws: Store.Error.self) { try object.$value.value() }
      #expect(Array(object.list) == [nil] && Array(object.set) == [nil])
      #expect(object.map["a"] == .some(nil))
    }
    try check(rule.type)
  }

  @Test(arguments: EnumCase.all)
  func `rule 66: a required property stops at a raw value without a case`(
    _ rule: EnumCase
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = rule.testDescription as String] in
      try Misdeed.readEnum(named: name)
    }
    func sentence<E: EnumSample>(_: E.Type) -> String {
      "Failed to convert persisted value '\(E.unknown)' to type '\(E.self)' in a non-optional"
    }
    #expect(said(result, sentence(rule.type)))
  }

  @Test(arguments: EnumCase.all)
  func `rule 66: reads by name give raw values, queries take cases and raw values`(
    _ rule: EnumCase
  ) throws {
    func check<E: EnumSample>(_: E.Type) throws {
      let folder = TemporaryStore([EnumBearer<E>.self])
      let store = try folder.open()
      let cases = Array(E.allCases)
      try store.write {
        for (id, value) in cases.enumerated().reversed() {
          store.create(
            EnumBearer<E>.self,
            value: ["id": id, "value": value, "optional": value, "all": [value]])
        }
      }
      let all = store.objects(EnumBearer<E>.self)
      for (id, value) in cases.enumerated() {
        let object = try #require(store.object(ofType: EnumBearer<E>.self, forPrimaryKey: id))
        #expect(object["value"] as? E.RawValue == value.rawValue)
        #expect(all.where { $0.value == value }.map(\.id) == [id])
        #expect(all.where { $0.value.rawValue == value.rawValue }.map(\.id) == [id])
        #expect(all.where { $0.optional == value }.map(\.id) == [id])
        #expect(all.where { $0.all.contains(value) }.map(\.id) == [id])
        #expect(all.where { $0.all.rawValue.contains(value.rawValue) }.map(\.id) == [id])
        #expect(all.filter("value == %@", value).map(\.id) == [id])
        #expect(all.filter("value == %@", value.rawValue).map(\.id) == [id])
      }
      #expect(all.sorted(by: \.value).map(\.value) == cases.sorted { $0.rawValue < $1.rawValue })
    }
    try check(rule.type)
  }
}

/// An enum of one raw type, as an argument of a test.
struct EnumCase: Sendable, CustomTestStringConvertible {
  let type: any EnumSample.Type
  var testDescription: String { "\(type)" }

  private static let types: [any EnumSample.Type] = [
    Letters.self, Numbers.self, Numbers8.self, Numbers16.self, Numbers32.self, Numbers64.self,
    Fractions.self, Halves.self,
  ]
  static let all = types.map { EnumCase(type: $0) }
}

protocol EnumSample: PersistableEnum, SendableMetatype where RawValue: _Sortable {
  static var unknown: RawValue { get }
}

enum Letters: String, EnumSample {
  case b, a, c
  static var unknown: String { "?" }
}

enum Numbers: Int, EnumSample {
  case two = 2
  case one = 1
  case three = 3
  static var unknown: Int { 9 }
}

enum Numbers8: Int8, EnumSample {
  case two = 2
  case one = 1
  static var unknown: Int8 { 9 }
}

enum Numbers16: Int16, EnumSample {
  case two = 2
  case one = 1
  static var unknown: Int16 { 9 }
}

enum Numbers32: Int32, EnumSample {
  case two = 2
  case one = 1
  static var unknown: Int32 { 9 }
}

enum Numbers64: Int64, EnumSample {
  case two = 2
  case one = 1
  static var unknown: Int64 { 9 }
}

enum Fractions: Double, EnumSample {
  case half = 0.5
  case quarter = 0.25
  static var unknown: Double { 9.5 }
}

enum Halves: Float, EnumSample {
  case half = 0.5
  case quarter = 0.25
  static var unknown: Float { 9.5 }
}

final class EnumBearer<E: EnumSample>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: E
  @Persisted(.either) var optional: E?
  @Persisted(.either) var all: List<E>
  @Persisted(.either) var list: List<E?>
  @Persisted(.either) var set: MutableSet<E?>
  @Persisted(.either) var map: Map<String, E?>
}

extension Misdeed {
  fileprivate static func readEnum(named name: String) throws {
    func commit<E: EnumSample>(_: E.Type) throws {
      let folder = TemporaryStore([EnumBearer<E>.self])
      let store = try folder.open()
      try store.write {
        _ = store.create(EnumBearer<E>.self, value: ["value": E.unknown]).value
      }
    }
    for rule in EnumCase.all where rule.testDescription == name { try commit(rule.type) }
  }
}
