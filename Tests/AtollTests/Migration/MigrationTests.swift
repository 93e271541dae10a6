import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

// Two versions of one model: classes of the same name in the file, whatever they are called here.

private final class PersonBefore: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var firstName: String
  @Persisted(.either) var lastName: String
  @Persisted(.either) var age: Int
  @Persisted(.either) var best: PersonBefore?
  @Persisted(.either) var tags: List<String>
  @Persisted(.either) var site: String
  override class func className() -> String { "MigratedPerson" }
}

private final class PersonAfter: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var fullName: String
  @Persisted(.either) var age: String
  @Persisted(.either) var friend: PersonAfter?
  @Persisted(.either) var labels: List<String>
  @Persisted(.either) var site: URL?
  @Persisted(.either) var place: Coordinate?
  override class func className() -> String { "MigratedPerson" }
}

private final class Note: Object {
  @Persisted(.either) var text: String
  override class func className() -> String { "MigratedNote" }
}

/// The number of times that a block ran, on any thread.
private final class Count: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0
  func step() { lock.withLock { value += 1 } }
  var now: Int { lock.withLock { value } }
}

@Suite struct MigrationTests {
  let folder: TemporaryStore

  init() throws {
    folder = TemporaryStore([PersonBefore.self, Note.self])
    let store = try folder.open()
    try store.write {
      let ada = store.create(
        PersonBefore.self,
        value: [
          "id": 1, "firstName": "Ada", "lastName": "Lovelace", "age": 36, "tags": ["a", "b"],
        ])
      store.create(
        PersonBefore.self,
        value: ["id": 2, "firstName": "Alan", "lastName": "Turing", "age": 41, "best": ada])
      store.create(Note.self, value: ["One"])
    }
    store.close()
  }

  private func configuration(
    _ version: UInt64, types: [ObjectBase.Type] = [PersonAfter.self, Location.self],
    _ block: MigrationBlock? = nil
  ) -> Store.Configuration {
    Store.Configuration(
      fileURL: folder.file, schemaVersion: version, migrationBlock: block, objectTypes: types)
  }

  private func contents() throws -> [String] {
    let file = try StoreFile.open(folder.file.path)
    defer { file.close() }
    var lines = try file.classes.map { "\($0.name): \($0.properties.map(\.name))" }
    try file.export { lines.append($0) }
    return lines
  }

  @Test func `a migration runs once, with old and new objects, and its version is kept`() throws {
    let count = Count()
    let block: MigrationBlock = { migration, version in
      count.step()
      #expect(version == 0)
      migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
        new?.fullName = "\(old?.firstName ?? "") \(old?.lastName ?? "")"
        new?.age = (old?.age as? Int).map(String.init)
      }
    }
    #expect(try schemaVersionAtURL(folder.file) == 0)
    let store = try Store(configuration: configuration(3, block))
    let people = store.objects(PersonAfter.self).sorted(byKeyPath: "id")
    #expect(people.map(\.fullName) == ["Ada Lovelace", "Alan Turing"])
    #expect(people.map(\.age) == ["36", "41"])
    store.close()
    #expect(try schemaVersionAtURL(folder.file) == 3)
    try Store.performMigration(for: configuration(3, block))
    #expect(count.now == 1)
  }

  @Test func `old objects show the file as it was, whatever was written since`() throws {
    let store = try Store(
      configuration: configuration(1) { migration, _ in
        migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
          new?["fullName"] = "changed"
          new?.age = "changed"
          #expect(old?.age is Int)
          #expect((old?.best as? DynamicObject)?.firstName as? String != "changed")
        }
        migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
          #expect(["Ada", "Alan"].contains(old?.firstName as? String))
          #expect(new?.fullName as? String == "changed")
        }
      })
    #expect(store.objects(PersonAfter.self).map(\.age) == ["changed", "changed"])
  }

  @Test func `rule 63: writes of a migration take mapped values, reads give stored ones`() throws {
    let url = try #require(URL(string: "https://a.example"))
    let store = try Store(
      configuration: configuration(1) { migration, _ in
        let made = migration.create(
          "MigratedPerson",
          value: ["id": 3, "site": url, "place": Coordinate(latitude: 1, longitude: 2)]
            as [String: Any])
        #expect(made.site as? String == "https://a.example")
        #expect((made.place as? DynamicObject)?.longitude as? Double == 2)
        migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
          new?.site = url
          #expect(new?.site as? String == "https://a.example")
          #expect(old?.site as? String == "")
          new?.place = Coordinate(latitude: 3, longitude: 4)
          #expect((new?.place as? DynamicObject)?.latitude as? Double == 3)
        }
      })
    let people = store.objects(PersonAfter.self).sorted(byKeyPath: "id")
    #expect(people.map(\.site) == [url, url, url])
    #expect(people.map(\.place?.longitude) == [4, 4, 2])
  }

  @Test func `rule 9: a property that turns from String to URL and back needs no migration`()
    throws
  {
    let before = try folder.open()
    try before.write {
      before.objects(PersonBefore.self).setValue("https://b.example", forKey: "site")
    }
    before.close()
    let block: MigrationBlock = { _, _ in Issue.record("There is nothing to migrate.") }
    let mapped = try TemporaryCopy(of: folder.file)
    let after = try Store(
      configuration: .init(
        fileURL: mapped.file, migrationBlock: block, objectTypes: [SiteOnly.self]))
    #expect(after.objects(SiteOnly.self).map(\.site?.host) == ["b.example", "b.example"])
    try after.write { after.objects(SiteOnly.self).first?.site = URL(string: "https://c.example") }
    after.close()
    let back = try Store(
      configuration: .init(
        fileURL: mapped.file, migrationBlock: block, objectTypes: [PersonBefore.self]))
    #expect(back.objects(PersonBefore.self).first?.site == "https://c.example")
  }

  @Test func `renaming keeps values, links and lists`() throws {
    let store = try Store(
      configuration: configuration(1) { migration, _ in
        migration.renameProperty(onType: "MigratedPerson", from: "firstName", to: "fullName")
        migration.renameProperty(onType: "MigratedPerson", from: "best", to: "friend")
        migration.renameProperty(onType: "MigratedPerson", from: "tags", to: "labels")
      })
    let people = store.objects(PersonAfter.self).sorted(byKeyPath: "id")
    #expect(people.map(\.fullName) == ["Ada", "Alan"])
    #expect(people[1].friend?.fullName == "Ada")
    #expect(Array(people[0].labels) == ["a", "b"])
  }

  @Test func `a migration deletes objects and whole classes`() throws {
    let store = try Store(
      configuration: configuration(1) { migration, _ in
        #expect(migration.oldSchema["MigratedNote"]?["text"]?.type == .string)
        #expect(migration.newSchema["MigratedNote"] == nil)
        #expect(migration.oldSchema["MigratedPerson"]?["age"]?.type == .int)
        #expect(migration.newSchema["MigratedPerson"]?["age"]?.type == .string)
        #expect(migration.deleteData(forType: "MigratedNote"))
        #expect(!migration.deleteData(forType: "Unheard"))
        migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
          if old?.id as? Int == 1, let new { migration.delete(new) }
        }
      })
    #expect(store.objects(PersonAfter.self).map(\.id) == [2])
    #expect(store.dynamicObjects("MigratedNote").isEmpty)
  }

  @Test func `a migration that throws leaves the file as it was`() throws {
    struct Refusal: Error {}
    let before = try contents()
    let error = #expect(throws: Store.Error.self) {
      try Store(
        configuration: configuration(1) { migration, _ in
          migration.enumerateObjects(ofType: "MigratedPerson") { _, new in new?.fullName = "x" }
          throw Refusal()
        })
    }
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("Refusal") == true)
    #expect(try contents() == before)
    #expect(try schemaVersionAtURL(folder.file) == 0)
    let store = try Store(configuration: configuration(1))
    #expect(store.objects(PersonAfter.self).map(\.fullName) == ["", ""])
  }

  @Test func `new classes and properties need no version`() throws {
    let store = try Store(
      configuration: .init(
        fileURL: folder.file, objectTypes: [PersonBefore.self, Note.self, Country.self]))
    #expect(store.objects(Country.self).isEmpty)
    #expect(store.objects(PersonBefore.self).count == 2)
  }

  @Test func `a property of another type needs a version, and the error says so`() throws {
    let error = #expect(throws: Store.Error.self) { try Store(configuration: configuration(0)) }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains("'MigratedPerson.age' is declared as String") == true)
    #expect(error?.message.contains("Raise 'schemaVersion' over 0") == true)
  }

  @Test func `a file of a higher version is refused with both versions`() throws {
    try Store.performMigration(for: configuration(5))
    let error = #expect(throws: Store.Error.self) { try Store(configuration: configuration(4)) }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.message.contains("the file has schema version 5, the configuration says 4") == true)
  }

  @Test func `a file that no model has opened takes the version without a migration`() throws {
    let folder = TemporaryStore([Country.self])
    let file = try StoreFile.open(folder.file.path)
    file.close()
    var configuration = folder.configuration
    configuration.schemaVersion = 7
    configuration.migrationBlock = { _, _ in Issue.record("There is nothing to migrate.") }
    _ = try Store(configuration: configuration)
    #expect(try schemaVersionAtURL(folder.file) == 7)
  }

  @Test func `what a migration writes is a change that other replicas get`() throws {
    try Store.performMigration(
      for: configuration(1) { migration, _ in
        migration.renameProperty(onType: "MigratedPerson", from: "lastName", to: "fullName")
      })
    let file = try StoreFile.open(folder.file.path)
    let batch = try file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: Limits.changesetBytes)
    let replica = TemporaryStore([PersonAfter.self, Location.self])
    let other = try StoreFile.open(replica.file.path, options: .init(storeID: file.storeID))
    _ = try other.apply(
      batch.entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      })
    other.close()
    let store = try replica.open()
    #expect(
      store.objects(PersonAfter.self).sorted(byKeyPath: "id").map(\.fullName)
        == ["Lovelace", "Turing"])
  }

  @Test func `a store for a queue is migrated wherever it is opened`() throws {
    let queue = DispatchQueue(label: "migrated")
    nonisolated(unsafe) let store = try Store(
      configuration: configuration(1) { migration, _ in
        migration.renameProperty(onType: "MigratedPerson", from: "firstName", to: "fullName")
      }, queue: queue)
    queue.sync { #expect(store.objects(PersonAfter.self).count == 2) }
  }
}

/// The same class with the site alone, mapped.
private final class SiteOnly: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var site: URL?
  override class func className() -> String { "MigratedPerson" }
}

/// A copy of a store file in a folder of its own.
private final class TemporaryCopy {
  let folder: TemporaryStore
  var file: URL { folder.file }

  init(of file: URL) throws {
    folder = TemporaryStore([])
    try FileManager.default.copyItem(at: file, to: folder.file)
    let log = URL(fileURLWithPath: file.path + "-wal")
    if FileManager.default.fileExists(atPath: log.path) {
      try FileManager.default.copyItem(
        at: log, to: URL(fileURLWithPath: folder.file.path + "-wal"))
    }
  }
}
