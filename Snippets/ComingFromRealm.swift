// The code of the page "Coming from Realm". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Foundation
import RealmSwift

/// Writes the objects of some classes as JSON that `atoll import --realm-json` reads.
func exportJSON(of live: Realm, _ classes: [Object.Type], to url: URL) throws {
  let values = JSONValues()
  let realm = live.freeze()  // so that one object without a primary key is equal to itself alone
  guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
    throw CocoaError(.fileWriteUnknown)
  }
  let file = try FileHandle(forWritingTo: url)
  var separator = "{"
  for type in classes {
    try file.write(contentsOf: Data("\(separator)\"\(type.className())\":[".utf8))
    separator = "\n"
    for object in realm.dynamicObjects(type.className()) {
      var members = values.members(object.objectSchema) { object[$0] }
      if object.objectSchema.primaryKeyProperty == nil { members["$refId"] = values.name(object) }
      let line = try JSONSerialization.data(withJSONObject: members)
      try file.write(contentsOf: Data(separator.utf8) + line)
      separator = ",\n"
    }
    separator = "],\n"
  }
  try file.write(contentsOf: Data((classes.isEmpty ? "{}" : "]}\n").utf8))
  try file.close()
}

/// The JSON forms of a Realm's values.
final class JSONValues {
  private var numbers: [Object: Int] = [:]

  func members(_ schema: ObjectSchema, _ value: (String) -> Any?) -> [String: Any] {
    var members: [String: Any] = [:]
    for property in schema.properties where property.type != .linkingObjects {
      members[property.name] = json(value(property.name))
    }
    return members
  }

  /// A name for an object without a primary key.
  func name(_ object: Object) -> String {
    let number = numbers[object] ?? numbers.count
    numbers[object] = number
    return "\(object.objectSchema.className)#\(number)"
  }

  private func json(_ value: Any?) -> Any {
    guard let value else { return NSNull() }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional || value is AnyRealmValue {
      return json(mirror.children.first?.value)
    }
    switch value {
    case let text as String: return text
    case let id as ObjectId: return ["$oid": id.stringValue]
    case let decimal as Decimal128: return ["$numberDecimal": "\(decimal)"]
    case let uuid as UUID: return ["$uuid": uuid.uuidString]
    case let date as Date:
      return ["$date": ["$numberDouble": "\(date.timeIntervalSince1970 * 1000)"]]
    case let data as Data:
      return ["$binary": ["base64": data.base64EncodedString(), "subType": "00"]]
    case let object as EmbeddedObject: return members(object.objectSchema) { object[$0] }
    case let object as Object where object.objectSchema.isEmbedded:
      return members(object.objectSchema) { object[$0] }
    case let object as Object:
      guard let key = object.objectSchema.primaryKeyProperty else { return ["$ref": name(object)] }
      return ["$ref": object.objectSchema.className, "$id": json(object[key.name])]
    case let number as NSNumber where ["d", "f"].contains(String(cString: number.objCType)):
      return ["$numberDouble": "\(number)"]  // JSON has no NaN, and 1.0 of any type would be 1
    case let number as NSNumber: return number
    case let entries as any Sequence where "\(type(of: value))".hasPrefix("Map<"):
      return map(entries)
    case let elements as any Sequence: return elements.map { json($0) }
    default: fatalError("\(type(of: value)) has no form in JSON here: add one")
    }
  }

  private func map(_ entries: some Sequence) -> [String: Any] {
    var members: [String: Any] = [:]
    for entry in entries {
      let parts = Mirror(reflecting: entry).children
      guard let key = parts.first(where: { $0.label == "key" })?.value else { continue }
      members["\(key)"] = json(parts.first { $0.label == "value" }?.value)
    }
    return members
  }
}

// A program with every kind of value, in a folder that it is given, or in one of its own.

final class Keeper: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name: String
  @Persisted var animals: List<Animal>
  @Persisted var favourite: Animal?
}

final class Animal: Object {
  @Persisted var name: String
  @Persisted var bornAt: Date?
  @Persisted var weight: Double
  @Persisted var price: Decimal128
  @Persisted var chip: UUID
  @Persisted var photo: Data
  @Persisted var home: Home?
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var extra: AnyRealmValue
  @Persisted(originProperty: "animals") var keepers: LinkingObjects<Keeper>
}

final class Home: EmbeddedObject {
  @Persisted var city: String
}

let arguments = CommandLine.arguments.dropFirst()
let folder =
  arguments.first.map { URL(fileURLWithPath: $0) }
  ?? FileManager.default.temporaryDirectory.appendingPathComponent("zoo-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { if arguments.isEmpty { try? FileManager.default.removeItem(at: folder) } }

let realm = try Realm(
  configuration: .init(
    fileURL: folder.appendingPathComponent("old.atoll"),
    objectTypes: [Keeper.self, Animal.self, Home.self]))
try realm.write {
  let dodo = Animal()
  dodo.name = "Dodo"
  dodo.bornAt = Date(timeIntervalSinceReferenceDate: 0.25)
  dodo.weight = 17.5
  dodo.price = "12.50"
  dodo.chip = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
  dodo.photo = Data([0xCA, 0xFE])
  dodo.home = Home(value: ["Port Louis"])
  dodo.tags.insert("bird")
  dodo.scores["run"] = 3
  dodo.extra = .double(1)
  let keeper = Keeper()
  keeper.id = ObjectId("5f086d00ddf69c48082eb63b")
  keeper.name = "Ada"
  keeper.animals.append(objectsIn: [dodo, Animal(value: ["name": "Moa"])])
  keeper.favourite = dodo
  realm.add(keeper)
}
let file = folder.appendingPathComponent("zoo.json")
try exportJSON(of: realm, [Keeper.self, Animal.self], to: file)
print(realm.objects(Keeper.self).count + realm.objects(Animal.self).count, "objects")
