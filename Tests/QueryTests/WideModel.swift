import Atoll
import Foundation

// One class with a property of every kind that queries know, linked to itself and through others: with
// keys of other types or none, and embedded. A store's schema is the part that a round draws: see
// ``Columns`` and ``Way``.

enum Mood: Int, PersistableEnum {
  case calm, busy, wild
}

/// A text of the application's own.
struct Tag: Hashable, CustomPersistable {
  typealias PersistedType = String
  var text: String
  init(_ text: String) { self.text = text }
  init(persistedValue: String) { text = persistedValue }
  var persistableValue: String { text }
}

struct Spot: Hashable, CustomPersistable {
  typealias PersistedType = StoredSpot
  var row: Int
  var note: String?

  init(row: Int, note: String?) {
    self.row = row
    self.note = note
  }

  init(persistedValue: StoredSpot) {
    self.init(row: persistedValue.row, note: persistedValue.note)
  }

  var persistableValue: StoredSpot { StoredSpot(value: ["row": row, "note": note as Any]) }
}

final class StoredSpot: EmbeddedObject {
  @Persisted var row: Int
  @Persisted var note: String?
}

/// Keyed by a text or nil; its columns have names of their own.
final class Hub: Object {
  @Persisted(primaryKey: true) var code: String?
  @Persisted var wide: Wide?
  @Persisted var wides: List<Wide>
  @Persisted var port: Port?

  override class func propertiesMapping() -> [String: String] {
    ["wide": "wide_link", "wides": "wide_list"]
  }
}

final class Port: Object {
  @Persisted(primaryKey: true) var token: UUID
  @Persisted var pier: Pier?
}

/// Without a key.
final class Pier: Object {
  @Persisted var wide: Wide?
}

final class Inner: EmbeddedObject {
  @Persisted var wide: Wide?
  @Persisted var deeper: Deeper?
}

final class Deeper: EmbeddedObject {
  @Persisted var hub: Hub?
}

final class Wide: Object {
  @Persisted(primaryKey: true) var id: Int

  @Persisted var flag: Bool
  @Persisted var flagOrNil: Bool?
  @Persisted(indexed: true) var int: Int
  @Persisted(indexed: true) var intOrNil: Int?
  @Persisted var small: Int8
  @Persisted var float: Float
  @Persisted var floatOrNil: Float?
  @Persisted var double: Double
  @Persisted var doubleOrNil: Double?
  @Persisted var decimal: Decimal128
  @Persisted var decimalOrNil: Decimal128?
  @Persisted(indexed: true) var string: String
  @Persisted(indexed: true) var stringOrNil: String?
  @Persisted(indexed: .fullText) var words: String
  @Persisted(indexed: .fullText) var wordsOrNil: String?
  @Persisted(indexed: .fullText) var label: Tag
  @Persisted var data: Data
  @Persisted var dataOrNil: Data?
  @Persisted(indexed: true) var date: Date
  @Persisted var dateOrNil: Date?
  @Persisted var uuid: UUID
  @Persisted(indexed: true) var uuidOrNil: UUID?
  @Persisted var objectId: ObjectId
  @Persisted var objectIdOrNil: ObjectId?
  @Persisted var any: AnyValue
  @Persisted var mood: Mood
  @Persisted var moodOrNil: Mood?
  @Persisted var tag: Tag
  @Persisted(indexed: true) var tagOrNil: Tag?
  @Persisted var spot: Spot
  @Persisted var spotOrNil: Spot?
  @Persisted var rawSpot: StoredSpot?

  @Persisted var next: Wide?
  @Persisted var many: List<Wide>
  @Persisted var others: MutableSet<Wide>
  @Persisted var entries: Map<String, Wide?>
  @Persisted(originProperty: "next") var back: LinkingObjects<Wide>
  @Persisted(originProperty: "many") var inMany: LinkingObjects<Wide>
  @Persisted var hub: Hub?
  @Persisted var hubs: List<Hub>
  @Persisted(originProperty: "wides") var ofHubs: LinkingObjects<Hub>
  @Persisted var inner: Inner?
  @Persisted var inners: List<Inner>

  @Persisted var flags: List<Bool>
  @Persisted var ints: List<Int>
  @Persisted var intsOrNil: List<Int?>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var intMap: Map<String, Int?>
  @Persisted var floats: List<Float>
  @Persisted var doubles: List<Double>
  @Persisted var doubleSet: MutableSet<Double?>
  @Persisted var decimals: List<Decimal128>
  @Persisted var strings: List<String>
  @Persisted var stringSet: MutableSet<String?>
  @Persisted var stringMap: Map<String, String>
  @Persisted var datas: List<Data>
  @Persisted var dates: List<Date?>
  @Persisted var uuids: MutableSet<UUID>
  @Persisted var objectIds: List<ObjectId?>
  @Persisted var anys: List<AnyValue>
  @Persisted var anyMap: Map<String, AnyValue>
  @Persisted var moods: List<Mood>
  @Persisted var tags: MutableSet<Tag>
  @Persisted var spots: List<Spot>

  static let types: [ObjectBase.Type] = [
    Wide.self, StoredSpot.self, Hub.self, Port.self, Pier.self, Inner.self, Deeper.self,
  ]
}
