import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Bugs that other systems had with files; `.ci/museum` puts each back and runs its test.
@Suite struct MuseumFileTests {
  @Test func `museum: cr-sqlite #247, a new property does not rewrite the objects`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let a = try Peer("A", in: folder, schema: [note(properties: ["text"])])
    let text = Given.text(String(repeating: "x", count: 200))
    try a.write(at: 0) { for key in 0..<3000 { try $0.create("Note", key, ["text": text]) } }
    a.store.close()
    let before = try end(ofLog: folder.storePath("A") + "-wal")
    let again = try Peer("A", in: folder, schema: [note(properties: ["text", "more"])])
    let written = try end(ofLog: folder.storePath("A") + "-wal") - before
    #expect(written < 100_000, "\(written) bytes were written for a property that no object has")
    again.store.close()
  }

  @Test func `museum: Corrosion #261, what an older schema does not know is taken all the same`()
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let a = try Peer("A", in: folder, schema: [note(properties: ["text", "more"])])
    let b = try Peer("B", in: folder, schema: [note(properties: ["text"])])
    try b.write(at: 0) { try $0.create("Note", 1, ["text": "old"]) }
    try a.receive(from: b)
    try a.write(at: 10) { try $0.object("Note", 1).set("more", "new") }
    try b.receive(from: a)
    try expectEqual([a, b], "two versions of a schema")
    #expect(try b.shows("text", of: "Note", 1) == "old")
  }

  @Test func `museum: Turso #8129, what a restored file writes reaches its peers`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (a, b) = (try Peer("A", in: folder), try Peer("B", in: folder))
    try a.write(at: 0, Model.fill)
    let backup = folder.storePath("backup")
    try TemporaryFolder.copyStore(from: a.store.path, to: backup)
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try b.receive(from: a)
    let restored = try Peer("R", in: folder, restoring: backup)
    try restored.write(at: 20) { try $0.document.set("m", 2) }
    try b.receive(from: restored)
    #expect(try b.shows("m") == "2")
    #expect(try b.shows("n") == "1")
  }

  @Test func `museum: Harmony #79, who hears of a changeset of its own that it lacks is renamed`()
    throws
  {
    // Two files that nothing on this machine tells apart: a disk image that was rolled back.
    let (a, twin, b) = (
      try Peer("A", in: nil), try Peer("A", in: nil), try Peer("B", in: nil)
    )
    let name = a.store.author
    #expect(twin.store.author == name)
    try a.write(at: 0, Model.fill)
    try b.receive(from: a)
    try twin.receive(from: b)
    #expect(twin.store.author != name)
    try a.write(at: 10) { try $0.document.set("n", 1) }
    try twin.write(at: 10) { try $0.document.set("m", 2) }
    try exchange([a, b, twin], .line)
    try expectEqual([a, b, twin], "two of one name, and their peer")
    #expect(try b.shows("n") == "1")
    #expect(try b.shows("m") == "2")
  }

  @Test func `museum: Yjs #741, what was deleted costs no memory when it is taken`() async throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (path, input) = (folder.storePath("A"), folder.storePath("changeset"))
    try Data(ManyEdits.changeset(operations: 60_000).bytes).write(to: URL(filePath: input))
    // In a process of its own, whose memory is the file's alone.
    await #expect(processExitsWith: .success) { [path = path as String, input = input as String] in
      let store = try StoreFile.open(path)
      try store.applied(ManyEdits.deletion())
      let bytes = try Array(Data(contentsOf: URL(filePath: input)))
      let before = Memory.held()
      try store.applied(ManyEdits.incoming(2, bytes))
      let growth = Memory.peak() - before
      print("applying \(bytes.count) bytes took \(growth) bytes of memory")
      exit(growth < 8 * bytes.count ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  private func note(properties: [String]) -> ClassSchema {
    ClassSchema(
      name: "Note", primaryKey: "id",
      properties: [PropertySchema(name: "id", type: .int)]
        + properties.map { PropertySchema(name: $0, type: .string) })
  }

  /// Returns the end of a write-ahead log: the bytes behind it are zeros, room for commits to come.
  private func end(ofLog path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    let bytes = try Data(contentsOf: URL(filePath: path))
    return bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
  }
}

/// Entries of a map in an object that is deleted: they count for nothing wherever they arrive.
private enum ManyEdits {
  private static let author = Author(
    replica: ReplicaID(high: 0xB, low: 0), incarnation: Incarnation(1))
  private static let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 0)
  private static let declarations: [Declaration] = [
    .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int)),
    .property(
      PropertyDeclaration(
        owner: ClassNumber(0), name: "dict", type: .int, collection: .map, target: nil)),
  ]

  private static func object(_ generation: UInt32) -> ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .int(1), generation: Generation(generation))
  }

  static func deletion() -> IncomingChangeset {
    incoming(1, declarations, [.create(object(1), []), .delete(object(2))])
  }

  static func changeset(operations count: Int) -> IncomingChangeset {
    let path = CellPath(object: object(1), property: PropertyNumber(0))
    return incoming(
      2, [], (0..<count).map { .assignEntry(path, key: "\($0)", .scalar(.int(Int64($0)))) })
  }

  private static func incoming(
    _ sequence: UInt64, _ declarations: [Declaration], _ operations: [DataOperation]
  ) -> IncomingChangeset {
    let changeset = Changeset(
      author: author, sequence: SequenceNumber(sequence), time: time, declarations: declarations,
      data: operations)
    return incoming(sequence, changeset.encoded())
  }

  static func incoming(_ sequence: UInt64, _ bytes: [UInt8]) -> IncomingChangeset {
    IncomingChangeset(author: author, sequence: SequenceNumber(sequence), bytes: bytes)
  }
}

extension StoreFile {
  fileprivate func applied(_ changeset: IncomingChangeset) throws {
    let outcome = try #require(try apply([changeset]).first)
    guard case .applied = outcome else { throw Unexpected(outcome: outcome) }
  }

  private struct Unexpected: Error {
    let outcome: ApplyOutcome
  }
}

/// The system's figures of this process's memory, in bytes.
private enum Memory {
  /// Returns the memory in use; the peak starts from here.
  static func held() -> Int {
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    return value("VmRSS")
  }

  static func peak() -> Int { value("VmHWM") }

  private static func value(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return 1024 * (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0)
  }
}
