import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct MappingRuleTests {
  private func isPersisted(_ type: Any.Type) -> Bool { type is any _BuiltinPersistable.Type }

  @Test func `rule 2: scalars and embedded classes are persisted types, nothing else is`() {
    let scalars: [Any.Type] = [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Float.self, Double.self,
      String.self, Data.self, Date.self, Decimal128.self, ObjectId.self, UUID.self, Location.self,
    ]
    for type in scalars { #expect(isPersisted(type), "\(type)") }
    let others: [Any.Type] = [
      AnyValue.self, Int?.self, Location?.self, List<Int>.self, MutableSet<Int>.self,
      Map<String, Int>.self, UInt.self, UInt8.self, Character.self,
    ]
    for type in others { #expect(!isPersisted(type), "\(type)") }
  }

  @Test func `rule 3: an enum or another mapped type is no persisted type`() {
    #expect(!isPersisted(ValuesKind.self) && !isPersisted(Wrapped.self) && !isPersisted(Even.self))
  }

  @Test func `rule 5: the default hash of a type stored as an embedded object goes by members`() {
    func fact(_ words: [String], _ tags: [Int], _ names: [String: Int]) -> RuleFact {
      RuleFact(words: words, tags: tags, names: names)
    }
    let a = fact(["a", "b"], [1, 2, 3], ["x": 1, "y": 2])
    let b = fact(["a", "b"], [3, 1, 2], ["y": 2, "x": 1])
    #expect(a == b && a.hashValue == b.hashValue && Set([a, b]).count == 1)
    for other in [
      fact(["b", "a"], [1, 2, 3], ["x": 1, "y": 2]), fact(["a", "b"], [1, 2], ["x": 1, "y": 2]),
      fact(["a", "b"], [1, 2, 3], ["x": 2, "y": 1]),
    ] { #expect(a != other && a.hashValue != other.hashValue) }
  }

  @Test func `rule 5: the default hash of a type stored as a scalar is that of what is stored`() {
    #expect(Wrapped(value: 3).hashValue == Wrapped(persistedValue: 3).hashValue)
    #expect(Set((0..<100).map { Wrapped(value: $0 % 10) }).count == 10)
  }

  @Test func `rule 6: raw-valued types of every kind can be mapped, failably and not`() throws {
    let folder = TemporaryStore([RuleRaw.self])
    let store = try folder.open()
    let raw = try store.write {
      store.create(
        RuleRaw.self,
        value: ["options": [RuleOptions.paved, .lit] as RuleOptions, "name": "x", "grade": "b"])
    }
    try store.write { raw.grades.append(objectsIn: [.a, .b]) }
    let other = try #require(try folder.open().objects(RuleRaw.self).first)
    #expect(other.options == [.paved, .lit] && other.$options.persistedValue == 3)
    #expect(other.name == RuleName(rawValue: "x") && other.grade == .b)
    #expect(other.$grade.persistedValue == "b" && Array(other.grades) == [.a, .b])
    #expect(RuleRaw(value: ["grade": "z"]).grade == nil)
    #expect(RuleName(rawValue: "x").hashValue == RuleName(rawValue: "x").hashValue)
    #expect(Set([RuleGrade.a, .b, .a]).count == 2)
  }

  @Test func `rule 20: what is read from a list or a map of mappings is independent as well`() {
    let holder = RuleCollections()
    holder.list.append(Coordinate(latitude: 1, longitude: 2))
    var copy = holder.list[0]
    copy.latitude = 9
    #expect(holder.list[0].latitude == 1 && copy.latitude == 9)
  }

  @Test func `rule 25: writing into an element of a list of mappings replaces the element`() {
    let holder = RuleCollections()
    holder.list.append(Coordinate(latitude: 1, longitude: 2))
    holder.list[0].latitude = 5
    #expect(holder.list[0] == Coordinate(latitude: 5, longitude: 2))
  }
}

/// Stored as an embedded object with a collection of each kind.
struct RuleFact: CustomPersistable {
  var words: [String]
  var tags: [Int]
  var names: [String: Int]

  init(words: [String], tags: [Int], names: [String: Int]) {
    self.words = words
    self.tags = tags
    self.names = names
  }

  init(persistedValue: RuleFactObject) {
    words = Array(persistedValue.words)
    tags = Array(persistedValue.tags)
    names = Dictionary(persistedValue.names.map { ($0.key, $0.value) }) { first, _ in first }
  }

  var persistableValue: RuleFactObject { RuleFactObject(value: [words, tags, names]) }

  static func == (a: RuleFact, b: RuleFact) -> Bool {
    a.words == b.words && Set(a.tags) == Set(b.tags) && a.names == b.names
  }
}

final class RuleFactObject: EmbeddedObject {
  @Persisted(.either) var words: List<String>
  @Persisted(.either) var tags: MutableSet<Int>
  @Persisted(.either) var names: Map<String, Int>
}

struct RuleOptions: OptionSet, CustomPersistable {
  var rawValue: Int
  init(rawValue: Int) { self.rawValue = rawValue }
  init(persistedValue: Int) { rawValue = persistedValue }
  var persistableValue: Int { rawValue }

  static let paved = RuleOptions(rawValue: 1)
  static let lit = RuleOptions(rawValue: 2)
}

struct RuleName: RawRepresentable, CustomPersistable {
  var rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
  init(persistedValue: String) { rawValue = persistedValue }
  var persistableValue: String { rawValue }
}

enum RuleGrade: String, FailableCustomPersistable {
  case a, b

  init?(persistedValue: String) { self.init(rawValue: persistedValue) }
  var persistableValue: String { rawValue }
}

final class RuleRaw: Object {
  @Persisted(.either) var options: RuleOptions
  @Persisted(.either) var name: RuleName
  @Persisted(.either) var grade: RuleGrade?
  @Persisted(.either) var grades: List<RuleGrade>
}

final class RuleCollections: Object {
  @Persisted(.either) var list: List<Coordinate>
}
