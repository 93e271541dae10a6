// The code of the page "Migrations". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("migrations-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let url = folder.appendingPathComponent("people.atoll")

// A file that version 0 of a program wrote.

final class PersonBefore: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var firstName: String
  @Persisted var lastName: String
  @Persisted var age: Int
  override class func className() -> String { "Person" }
}

let before = try Store(
  configuration: .init(fileURL: url, objectTypes: [PersonBefore.self]))
try before.write {
  before.create(PersonBefore.self, value: [1, "Ada", "Lovelace", 36])
}
before.close()

// Another type, another name.

final class Person: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var fullName: String
  @Persisted var age: Double
}

let configuration = Store.Configuration(
  fileURL: url, schemaVersion: 1,
  migrationBlock: { migration, oldSchemaVersion in
    migration.enumerateObjects(ofType: "Person") { old, new in
      guard let old, let new else { return }
      new.fullName = "\(old.firstName ?? "") \(old.lastName ?? "")"
      new.age = Double(old.age as? Int ?? 0)
    }
  },
  objectTypes: [Person.self])
let store = try Store(configuration: configuration)
print(store.objects(Person.self).map { "\($0.fullName), \($0.age)" })
store.close()

final class Member: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Double
  override class func className() -> String { "Person" }
}

let renaming = Store.Configuration(
  fileURL: url, schemaVersion: 2,
  migrationBlock: { migration, oldSchemaVersion in
    migration.renameProperty(onType: "Person", from: "fullName", to: "name")
  },
  objectTypes: [Member.self])
try Store.performMigration(for: renaming)
print("version", try schemaVersionAtURL(url))
let members = try Store(configuration: renaming)
print(members.objects(Member.self).map(\.name))
members.close()

// Another name for the same.

final class Contact: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var displayName: String
  @Persisted var years: Double
  override class func className() -> String { "Person" }
  override class func propertiesMapping() -> [String: String] {
    ["displayName": "fullName", "years": "age"]
  }
}

var aliased = Store.Configuration(fileURL: url, objectTypes: [Contact.self])
aliased.schemaVersion = 2
let contacts = try Store(configuration: aliased)
print(contacts.objects(Contact.self).map { "\($0.displayName), \($0.years)" })
contacts.close()

// Another type, while older builds go on writing.

final class WalkerBefore: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var age: Int
  @Persisted var waited: Double
  override class func className() -> String { "Walker" }
}

final class Walker: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var waited: Duration
  @Persisted var wholeYears: Int
  @Persisted var exactYears: Double?
  override class func className() -> String { "Walker" }
  override class func propertiesMapping() -> [String: String] { ["wholeYears": "age"] }

  /// The exact number as long as it agrees with the one that older builds write.
  var years: Double {
    get { exactYears.flatMap { Int($0) == wholeYears ? $0 : nil } ?? Double(wholeYears) }
    set {
      exactYears = newValue
      wholeYears = Int(newValue)
    }
  }
}

extension Duration: @retroactive CustomPersistable {
  public typealias PersistedType = Double
  public init(persistedValue: Double) { self = .seconds(persistedValue) }
  public var persistableValue: Double { self / .seconds(1) }
}

let walks = folder.appendingPathComponent("walks.atoll")
let older = try Store(configuration: .init(fileURL: walks, objectTypes: [WalkerBefore.self]))
let old = try older.write { older.create(WalkerBefore.self, value: ["id": 1, "age": 36]) }
try older.write { old.waited = 90 }
let newer = try Store(configuration: .init(fileURL: walks, objectTypes: [Walker.self]))
guard let walker = newer.object(ofType: Walker.self, forPrimaryKey: 1) else { fatalError() }
print(walker.years, walker.waited)
try newer.write {
  walker.years = 36.5
  walker.waited = .seconds(60)
}
older.refresh()
print(walker.years, old.age, old.waited)
try older.write { old.age = 37 }
newer.refresh()
print(walker.years)
older.close()
newer.close()

// Starting again.

var disposable = Store.Configuration(fileURL: url, objectTypes: [PersonBefore.self])
disposable.schemaVersion = 3
disposable.deleteIfMigrationNeeded = true
let empty = try Store(configuration: disposable)
print(empty.objects(PersonBefore.self).count)
empty.close()
