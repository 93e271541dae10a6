import Atoll
import Foundation

enum SchemaBefore {
  final class SchemaPage: Object {
    @Persisted(.either) var link: String?
    @Persisted(.either) var place: Location?
    @Persisted(.either) var links: List<String>
  }
}

enum SchemaAfter {
  final class SchemaPage: Object {
    @Persisted(.either) var link: URL?
    @Persisted(.either) var place: Coordinate
    @Persisted(.either) var links: List<URL>
  }
}

/// Mapped to a class whose objects stand on their own.
struct Capital: CustomPersistable, Hashable {
  var name: String
  init(persistedValue: Country) { name = persistedValue.name ?? "" }
  var persistableValue: Country { Country(value: ["", name]) }
}

final class MapsToObject: Object {
  @Persisted(.either) var capital: Capital?
}

class SchemaVehicle: Object {
  @Persisted(primaryKey: .either) var plate: String
  @Persisted var wheels = 2
  var summary: String { "\(plate) on \(wheels) wheels" }
}

final class SchemaTruck: SchemaVehicle {
  @Persisted(.either) var load: Double
}

class SchemaPlated: Object {
  @Persisted(.either) private var _plate: String
}

final class SchemaRepeating: SchemaPlated {
  @Persisted(.either) private var _plate: String
}

final class SchemaRenamed: Object {
  @Persisted(primaryKey: .either) var key: Int
  @Persisted(indexed: .either) var title: String
  override static func propertiesMapping() -> [String: String] {
    ["key": "number", "title": "name"]
  }
}

final class SchemaUnderscored: Object {
  @Persisted(primaryKey: .either) var _id: ObjectId
}

final class SchemaSameColumn: Object {
  @Persisted(.either) var a: Int
  @Persisted(.either) var b: Int
  override static func propertiesMapping() -> [String: String] { ["a": "b"] }
}

final class SchemaIgnoring: Object {
  @Persisted(.either) var name: String
  @Persisted var scratch = 3
  @Persisted(.either) var fresh: String
  var plain = 1
  lazy var late = name + "!"
  var shout: String { name.uppercased() }
  override static func ignoredProperties() -> [String] { ["scratch", "fresh"] }
}

final class SchemaLegacy: Object {
  @Persisted(.either) var code: String
  @Persisted(.either) var name: String
  @Persisted(.either) var size: Int
  override static func primaryKey() -> String? { "code" }
  override static func indexedProperties() -> [String] { ["name"] }
}

final class SchemaMisspelt: Object {
  @Persisted(.either) var name: String
  override static func indexedProperties() -> [String] { ["nme"] }
}

final class SchemaDoubleKey: Object {
  @Persisted(.either) var height: Double
  override static func primaryKey() -> String? { "height" }
}

final class SchemaOwnName: Object {
  @Persisted(.either) var name: String
  override static func className() -> String { "Other" }
}

final class SchemaObserved: Object {
  var seen: [String] = []
  @Persisted var name: String {
    willSet { seen.append("will \(newValue)") }
    didSet { seen.append("did \(oldValue)") }
  }
}

final class SchemaListed: Object, ObjectKeyIdentifiable {
  @Persisted(.either) var name: String
  @Persisted var first: SchemaListedPart?
  @Persisted var second: SchemaListedPart?
  @Persisted var parts: List<SchemaListedPart>
}

final class SchemaListedPart: EmbeddedObject, ObjectKeyIdentifiable {
  @Persisted(.either) var name: String
}
