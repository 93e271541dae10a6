import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit

/// A store file under a temporary path, with a clock that the test moves.
final class TestStore {
  let file: StoreFile
  let path: String
  let clock: TestClock
  var classes: [String: StoredClass] = [:]

  init(
    _ name: String = "store", clock: TestClock = TestClock(), model: [ClassSchema] = TestModel.all,
    storeID: StoreID? = StoreID(high: 1, low: 1), isOwned: Bool = false,
    partBytes: Int = Limits.partBytes,
    path: String? = nil, random: @escaping @Sendable () -> UInt64 = SystemClock.random
  ) throws {
    self.path = path ?? TestFolder.path(name)
    self.clock = clock
    file = try StoreFile.open(
      self.path,
      options: StoreOptions(
        storeID: storeID, isOwned: isOwned, wallClock: { clock.now }, random: random,
        partBytes: partBytes))
    for stored in try file.adopt(model) { classes[stored.name] = stored }
  }

  subscript(name: String) -> StoredClass {
    guard let stored = classes[name] else { fatalError("the test's model has no class \(name)") }
    return stored
  }

  func property(_ path: String...) -> [StoredProperty] {
    var owner = self[path[0]]
    return path.dropFirst().map { name in
      guard let property = owner.property(named: name) else {
        fatalError("\(owner.name) has no \(name)")
      }
      if let target = property.target, let next = classes.values.first(where: { $0.id == target }) {
        owner = next
      }
      return property
    }
  }

  /// Makes a document in a transaction of its own.
  func create(_ key: Int64, at time: Int64? = nil) throws {
    try write(at: time) { store in
      _ = try store.file.create(store["Document"].id, key: .int(key), fields: [])
    }
  }

  /// Everything in the log.
  func log() throws -> [LogEntry] {
    try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20).entries
  }

  /// Everything in the log, each changeset of this store's own with a seal of its own.
  func sealedLog() throws -> [LogEntry] {
    var found: [LogEntry] = []
    var position = LogPosition.start
    while true {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: 1, isForPeer: true)
      found += batch.entries
      if batch.isAtEnd { return found }
      position = batch.next
    }
  }

  /// Closes the store, and gives what its disk has.
  func closeDisk() throws -> Data {
    file.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Opens the store again, its disk rolled back under it, so that it cannot tell.
  func putBack(_ disk: Data, model: [ClassSchema] = TestModel.all) throws -> TestStore {
    let storeID = file.storeID
    file.close()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: disk)
    try handle.close()
    return try TestStore("put-back", model: model, storeID: storeID, path: path)
  }

  /// The key that the file has, as it stands there.
  var key: ReplicaKey {
    get throws {
      let connection = try Connection(path: path, access: .readOnly)
      defer { connection.close() }
      let statement = try connection.prepare("SELECT secret FROM atoll_store")
      defer { statement.finalize() }
      _ = try statement.step()
      guard let key = ReplicaKey(secret: statement.bytes(at: 0)) else {
        throw TestFailure("the file has no key")
      }
      return key
    }
  }

  /// Runs one write transaction.
  @discardableResult
  func write(at time: Int64? = nil, _ body: (TestStore) throws -> Void) throws -> Commit? {
    if let time { clock.now = WallTime(milliseconds: time) }
    try file.beginWrite()
    do {
      try body(self)
      let commit = try file.commitWrite()
      try checkDigests()
      return commit
    } catch {
      file.rollback()
      throw error
    }
  }

  /// Everything `other` lacks, in local order.
  func send(to other: TestStore) throws {
    var position = LogPosition.start
    while true {
      let batch = try file.entries(
        lackedBy: try other.file.holdings().stored, after: position, limitBytes: 1 << 20,
        isForPeer: true)
      let outcomes = try other.file.apply(batch.entries.map(\.fromPeer))
      for outcome in outcomes {
        switch outcome {
        case .applied, .deferred: break
        case .duplicate, .missing, .branched, .detached, .overflowing, .equivocation, .refused:
          throw TestFailure("not taken: \(outcome)")
        }
      }
      if batch.isAtEnd { return try other.checkDigests() }
      position = batch.next
    }
  }

  /// After every write and every exchange of every test: the digests kept up are those of the rows.
  func checkDigests() throws {
    for (stored, kept, found) in try file.checkDigests() {
      throw TestFailure("the digest of \(stored.name) is \(kept), its rows have \(found)")
    }
  }

  func exported() throws -> String {
    var text = ""
    try file.export { text += $0 }
    return text
  }
}

struct TestFailure: Error {
  var detail: String
  init(_ detail: String) { self.detail = detail }
}

extension IncomingChangeset {
  init(_ entry: LogEntry) {
    self.init(
      author: entry.id.author, sequence: entry.id.sequence, bytes: entry.bytes,
      expectedHash: entry.id.hash)
  }
}

extension LogEntry {
  /// As a link brings it, in a run that ends with a seal.
  var fromPeer: IncomingChangeset { asIncoming }
}

/// A wall clock that stands still until it is moved.
final class TestClock: @unchecked Sendable {
  var now = WallTime(milliseconds: 1_000_000)
}

enum TestFolder {
  private static let folder = TemporaryFolder()

  /// A path that no other test uses.
  static func path(_ name: String) -> String { folder.path("\(name)-\(UUID().uuidString).atoll") }
}

/// The classes of the scenarios in `convergence.md`, and one of every scalar.
enum TestModel {
  static let all: [ClassSchema] = [
    ClassSchema(
      name: "Target", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .string), PropertySchema(name: "title", type: .string),
      ]),
    ClassSchema(
      name: "One", isEmbedded: true,
      properties: [
        PropertySchema(name: "v", type: .int), PropertySchema(name: "w", type: .int),
        PropertySchema(name: "tags", type: .string, collection: .list),
      ]),
    ClassSchema(
      name: "Document", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int),
        PropertySchema(name: "name", type: .string, isIndexed: true),
        PropertySchema(name: "n", type: .int), PropertySchema(name: "m", type: .int),
        PropertySchema(name: "nn", type: .int, isOptional: true),
        PropertySchema(name: "x", type: .double), PropertySchema(name: "f", type: .float),
        PropertySchema(name: "b", type: .bool), PropertySchema(name: "d", type: .data),
        PropertySchema(name: "t", type: .date), PropertySchema(name: "u", type: .uuid),
        PropertySchema(name: "o", type: .objectId),
        PropertySchema(name: "items", type: .int, collection: .list),
        PropertySchema(name: "link", type: .link, isOptional: true, target: "Target"),
        PropertySchema(name: "links", type: .link, collection: .list, target: "Target"),
        PropertySchema(name: "one", type: .embedded, isOptional: true, target: "One"),
        PropertySchema(name: "es", type: .embedded, collection: .list, target: "One"),
      ]),
    ClassSchema(name: "Note", properties: [PropertySchema(name: "text", type: .string)]),
  ]
}
