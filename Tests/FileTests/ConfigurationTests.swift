import Atoll
import AtollRealm
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization
import TestKit
import Testing

/// The class of ``Note`` as an earlier model had it.
private final class FormerNote: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: Int
  override class func className() -> String { "Note" }
}

/// The settings of a configuration about the file.
@Suite struct ConfigurationTests {
  let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  private func memory(_ name: String) -> Store.Configuration {
    Store.Configuration(inMemoryIdentifier: name, objectTypes: [Note.self])
  }

  @Test func `a store in memory is shared by name, and ends with its last instance`() throws {
    let name = "shared-\(UUID().uuidString)"
    var first: Store? = try Store(configuration: memory(name))
    var second: Store? = try Store(configuration: memory(name))
    try first?.note(1, "one")
    second?.refresh()
    #expect(second?.numbers == [1])
    #expect(try Store(configuration: memory(name + "x")).numbers == [])
    first = nil
    #expect(second?.numbers == [1])
    #expect(Store.fileExists(for: memory(name)))
    second = nil
    #expect(!Store.fileExists(for: memory(name)))
    #expect(try Store(configuration: memory(name)).numbers == [])
  }

  @Test func `what a killed process had in memory is removed by the next one`() async throws {
    let killed = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      let store = try Store(
        configuration: .init(inMemoryIdentifier: "left", objectTypes: [Note.self]))
      for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        let file = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)")
        if let file, file.contains("/atoll-memory-") { print(file) }
      }
      fflush(nil)
      withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
    }
    let left = String(decoding: killed?.standardOutputContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("/") }
    #expect(!left.isEmpty)
    await #expect(processExitsWith: .success) {
      _ = try Store(configuration: .init(inMemoryIdentifier: "next", objectTypes: [Note.self]))
    }
    #expect(left.allSatisfy { !FileManager.default.fileExists(atPath: String($0)) })
  }

  @Test func `a place on disk and a name in memory exclude each other`() {
    var configuration = memory("a")
    configuration.fileURL = folder.file()
    #expect(configuration.inMemoryIdentifier == nil)
    #expect(Store.Configuration(fileURL: folder.file()).fileURL == folder.file())
  }

  @Test func `a store opened for reading refuses to write, and a model that has more`() throws {
    var configuration = folder.configuration()
    configuration.objectTypes = []
    try Store(configuration: configuration).close()
    configuration.isReadOnly = true
    let store = try Store(configuration: configuration)
    #expect(throws: Store.Error.self) { try store.write {} }
    configuration.objectTypes = [Note.self]
    let error = #expect(throws: Store.Error.self) { try Store(configuration: configuration) }
    #expect(error?.message.contains("what it lacks of the model") == true)
    configuration.fileURL = folder.file("missing.atoll")
    #expect(throws: Store.Error.self) { try Store(configuration: configuration) }
    #expect(!Store.fileExists(for: configuration))
  }

  @Test func `a file begins as a copy of its seed, as a replica of its own`() throws {
    let seed = try Store(configuration: folder.configuration("seed.atoll"))
    try seed.note(1, "one")
    var configuration = folder.configuration()
    configuration.seedFilePath = folder.file("seed.atoll")
    let store = try Store(configuration: configuration)
    #expect(store.numbers == [1])
    #expect(store.storeID == seed.storeID)
    try store.note(2, "two")
    store.close()
    #expect(try Store(configuration: configuration).numbers == [1, 2])
    #expect(seed.refresh() == false)
    func replica(_ name: String) throws -> ReplicaID {
      let file = try StoreFile.open(folder.file(name).path)
      defer { file.close() }
      return file.author.replica
    }
    #expect(try replica("seed.atoll") != replica("notes.atoll"))
    configuration.fileURL = folder.file("other.atoll")
    configuration.seedFilePath = folder.file("missing.atoll")
    #expect(throws: Store.Error.self) { try Store(configuration: configuration) }
  }

  @Test func `a file is compacted when its opener wants it, and on demand`() throws {
    var configuration = folder.configuration()
    let store = try Store(configuration: configuration)
    let text = String(repeating: "x", count: 10_000)
    for number in 0..<300 { try store.note(number, text) }
    try store.write { store.delete(store.objects(Note.self)) }
    store.close()
    let file = try StoreFile.open(folder.file().path)
    let (total, used) = try file.byteCounts()
    file.close()
    #expect(used < total)
    let asked = Mutex<[Int]>([])
    configuration.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0 = [total, used] }
      return false
    }
    try Store(configuration: configuration).close()
    #expect(asked.withLock { $0 } == [Int(total), Int(used)])
    #expect(try folder.size("notes.atoll") > total / 2)
    configuration.shouldCompactOnLaunch = { total, used in used < total }
    let compacted = try Store(configuration: configuration)
    // SQLite lays what is left out anew, and may need a page more for it.
    #expect(try folder.size("notes.atoll") <= used + 4096)
    for number in 0..<100 { try compacted.note(number, text) }
    try compacted.write { compacted.delete(compacted.objects(Note.self)) }
    let (before, after) = try compacted.compact()
    #expect(after < before)
    #expect(compacted.numbers == [])
  }

  @Test func `a copy holds everything, is its owner's alone, and replaces nothing`() throws {
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "one")
    #expect(store.numbers == [1])
    try store.writeCopy(toFile: folder.file("copy.atoll"))
    let error = #expect(throws: Store.Error.self) {
      try store.writeCopy(toFile: folder.file("copy.atoll"))
    }
    #expect(error?.code == .fileExists)
    #expect(try folder.mode("copy.atoll") == 0o600)
    let copy = try Store(configuration: folder.configuration("copy.atoll"))
    #expect(copy.numbers == [1])
    #expect(copy.storeID == store.storeID)
    try copy.note(2, "two")
    #expect(store.refresh() == false)
  }

  @Test func `a copy of a frozen store holds its version, and nothing that came later`() throws {
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "one")
    let frozen = store.freeze()
    try store.note(2, "two")
    try frozen.writeCopy(toFile: folder.file("copy.atoll"))
    #expect(try folder.mode("copy.atoll") == 0o600)
    #expect(frozen.objects(Note.self).count == 1 && store.numbers == [1, 2])
    let error = #expect(throws: Store.Error.self) {
      try frozen.writeCopy(toFile: folder.file("copy.atoll"))
    }
    #expect(error?.code == .fileExists)
    let copy = try Store(configuration: folder.configuration("copy.atoll"))
    #expect(copy.numbers == [1])
    #expect(copy.storeID == store.storeID)
    try copy.note(3, "three")
    #expect(copy.numbers == [1, 3] && store.numbers == [1, 2])
  }

  @Test func `every file of a store is its owner's alone`() throws {
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "one")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(names == ["notes.atoll", "notes.atoll-lock", "notes.atoll-shm", "notes.atoll-wal"])
    for name in names { #expect(try folder.mode(name) == 0o600, "\(name)") }
  }

  @Test func `files are deleted once nobody has them open`() throws {
    let configuration = folder.configuration()
    #expect(try !Store.deleteFiles(for: configuration))
    let store = try Store(configuration: configuration)
    try store.note(1, "one")
    let error = #expect(throws: Store.Error.self) { try Store.deleteFiles(for: configuration) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("Stop it first; nothing was changed") == true)
    try store.note(2, "two")
    store.close()
    #expect(Store.fileExists(for: configuration))
    #expect(try Store.deleteFiles(for: configuration))
    #expect(!Store.fileExists(for: configuration))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.atoll-lock"])
    #expect(try Store(configuration: configuration).numbers == [])
    try "not a store".write(to: folder.file("text"), atomically: true, encoding: .utf8)
    #expect(throws: Store.Error.self) { try Store.deleteFiles(for: folder.configuration("text")) }
    #expect(FileManager.default.fileExists(atPath: folder.file("text").path))
  }

  @Test func `a file that would have to be migrated is made anew, in the same store`() throws {
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "one")
    let storeID = store.storeID
    store.close()
    var configuration = folder.configuration()
    configuration.deleteRealmIfMigrationNeeded = true
    #expect(try Store(configuration: configuration).numbers == [1])
    configuration.objectTypes = [FormerNote.self]
    let other = try Store(configuration: configuration)
    #expect(other.objects(FormerNote.self).isEmpty)
    #expect(other.storeID == storeID)
    try other.write { other.create(FormerNote.self, value: [1, 7]) }
    other.close()
    configuration.schemaVersion = 1
    #expect(try Store(configuration: configuration).objects(FormerNote.self).isEmpty)
    #expect(try schemaVersionAtURL(folder.file()) == 1)
  }

  @Test func `issue 32: an owner whose file is made anew is an owner still`() throws {
    var configuration = folder.configuration()
    configuration.deleteRealmIfMigrationNeeded = true
    let store = try Store(configuration: configuration)
    try store.note(1, "one")
    let (storeID, replica) = (store.storeID, try store.members.ownID())
    store.close()
    configuration.objectTypes = [FormerNote.self]
    let other = try Store(configuration: configuration)
    #expect(other.storeID == storeID && other.objects(FormerNote.self).isEmpty)
    #expect(try other.members.ownID() == replica)
    #expect(try other.members.all().map(\.isFounder) == [true])
    try other.members.admit(String(repeating: "7", count: 32))
    #expect(try other.members.all().count == 2)
  }

  @Test func `issue 32: a new store has owners, and none where the application chose its id`()
    throws
  {
    var configuration = folder.configuration()
    let store = try Store(configuration: configuration)
    #expect(try store.members.areNeeded() && store.members.all().map(\.isFounder) == [true])
    configuration.fileURL = folder.file("open.atoll")
    configuration.hasOwners = false
    #expect(try !Store(configuration: configuration).members.areNeeded())
    configuration.fileURL = folder.file("chosen.atoll")
    (configuration.hasOwners, configuration.storeID) = (true, UUID())
    #expect(try !Store(configuration: configuration).members.areNeeded())
  }

  @Test func `closing a store twice is harmless`() throws {
    let store = try Store(configuration: folder.configuration())
    store.close()
    store.close()
  }
}
