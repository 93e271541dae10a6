import Foundation
import RealmSwift
import TestKit
import Testing

final class Dog: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int
}

/// Opening, configurations and transactions in the forms that applications have for Realm.
@Suite(.serialized) struct OpeningTests {
  private let folder = TemporaryFolder()

  private func configuration(_ name: String = "default.realm") -> Realm.Configuration {
    Realm.Configuration(fileURL: folder.file(name), objectTypes: [Dog.self])
  }

  @Test func `a store opened twice on a thread is one instance`() throws {
    let configuration = configuration()
    let first = try Realm(configuration: configuration)
    let second = try Realm(configuration: configuration)
    #expect(first === second)
    #expect(first == second)
    var reading = configuration
    reading.readOnly = true
    #expect(try Realm(configuration: reading) != first)
    try first.write {
      try Realm(configuration: configuration).add(Dog(value: ["name": "Rex", "age": 1]))
    }
    #expect(second.objects(Dog.self).first?.name == "Rex")
  }

  @Test func `a store goes when nothing uses it, and stays while something does`() throws {
    let configuration = configuration()
    let former = Weak(try Realm(configuration: configuration))
    #expect(former.store == nil)
    let dogs = try Realm(configuration: configuration).objects(Dog.self)
    #expect(try Realm(configuration: configuration) === dogs.realm)
  }

  @Test func `another thread has its own instance`() async throws {
    let configuration = configuration()
    let identity = ObjectIdentifier(try Realm(configuration: configuration))
    let kept = try Realm(configuration: configuration)
    let other = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let store = try? Realm(configuration: configuration)
        continuation.resume(returning: store.map { ObjectIdentifier($0) != identity })
      }
    }
    #expect(other == true)
    withExtendedLifetime(kept) {}
  }

  @Test func `a queue and an actor have one instance each`() async throws {
    let configuration = configuration()
    let queue = DispatchQueue(label: "dogs")
    try queue.sync {
      let store = try Realm(configuration: configuration, queue: queue)
      #expect(try Realm(configuration: configuration, queue: queue) === store)
    }
    try await Self.openTwice(configuration)
  }

  @MainActor private static func openTwice(_ configuration: Realm.Configuration) async throws {
    let store = try await Realm(configuration: configuration, actor: MainActor.shared)
    let again = try await Realm.open(configuration: configuration)
    #expect(store === again)
    try await store.asyncWrite {
      #expect(store.isPerformingAsynchronousWriteOperations)
      store.add(Dog(value: ["name": "Ina"]))
    }
    #expect(!store.isPerformingAsynchronousWriteOperations)
  }

  @Test func `the default configuration is what a store without one is opened with`() throws {
    let configuration = configuration()
    try withDefault(configuration) {
      let realm = try Realm()
      #expect(realm.configuration.fileURL == configuration.fileURL)
      try! Realm().write { try! Realm().add(Dog(value: ["name": "Rex"])) }
      #expect(realm.objects(Dog.self).count == 1)
      var other = Realm.Configuration.defaultConfiguration
      other.fileURL!.deleteLastPathComponent()
      other.fileURL!.appendPathComponent("other")
      other.fileURL = other.fileURL!.deletingPathExtension().appendingPathExtension("realm")
      #expect(try Realm(configuration: other).isEmpty)
      #expect(try Realm(fileURL: self.folder.file("third")).isEmpty)
    }
  }

  @Test func `configurations take Realm's labels in Realm's order`() throws {
    let url = folder.file("labels")
    let full = Realm.Configuration(
      fileURL: url, inMemoryIdentifier: nil, readOnly: false, schemaVersion: 3,
      migrationBlock: { migration, oldVersion in
        if oldVersion < 2 {
          migration.enumerateObjects(ofType: "Dog") { _, new in new!["age"] = 1 }
        }
      }, deleteRealmIfMigrationNeeded: false,
      shouldCompactOnLaunch: { total, used in total > 100 && Double(used) / Double(total) < 0.5 },
      objectTypes: [Dog.self], seedFilePath: nil)
    #expect(try Realm(configuration: full).configuration.schemaVersion == 3)
    let memory = Realm.Configuration(inMemoryIdentifier: "labels")
    #expect(memory.fileURL == nil && memory.inMemoryIdentifier == "labels")
    #expect(Realm.Configuration(fileURL: url, readOnly: true).readOnly)
    #expect(Realm.Configuration(deleteRealmIfMigrationNeeded: true).deleteRealmIfMigrationNeeded)
    #expect(Realm.Configuration().fileURL?.lastPathComponent == "default.atoll")
  }

  @Test func `a transaction is begun without try, and committed or cancelled`() throws {
    let realm = try Realm(configuration: configuration())
    realm.beginWrite()
    realm.add(Dog(value: ["name": "Rex"]))
    realm.cancelWrite()
    realm.beginWrite()
    realm.create(Dog.self, value: ["name": "Ina"])
    try realm.commitWrite()
    #expect(realm.objects(Dog.self).map(\.name) == ["Ina"])
  }

  @Test func `errors are told apart by Realm's codes`() throws {
    var configuration = configuration("missing")
    configuration.readOnly = true
    do {
      _ = try Realm(configuration: configuration)
      Issue.record("A file that is not there was opened.")
    } catch Realm.Error.fileNotFound {
    }
    do {
      _ = try Realm(configuration: configuration)
    } catch let error as Realm.Error where error.code == .fileNotFound {
      #expect(error.localizedDescription.contains("missing"))
    }
  }

  @Test func `a pool, qualified names and a class with its own init compile`() throws {
    try autoreleasepool {
      let realm = try Realm(configuration: self.configuration())
      let sorted = realm.objects(Dog.self)
        .sorted(by: [RealmSwift.SortDescriptor(keyPath: "age", ascending: false)])
      #expect(sorted.isEmpty)
    }
    let list = RealmSwift.List<Int>()
    list.append(1)
    #expect(list.count == 1)
    #expect(Kennel().name == "new" && make(Kennel.self).name == "new")
    #expect(Kennel(value: ["name": "given"]).name == "given")
  }

  private func make<T: Object>(_ type: T.Type) -> T { T() }
}

private struct Weak {
  private(set) weak var store: Realm?

  init(_ store: Realm) { self.store = store }
}

final class Kennel: Object {
  @Persisted var name: String
  var note: String

  override init() {
    note = "set before"
    super.init()
    name = "new"
  }

  convenience init(named name: String) {
    self.init()
    self.name = name
  }
}
