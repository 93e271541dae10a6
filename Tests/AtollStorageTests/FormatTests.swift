import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// A file of format 1 whose log was cut: its checkpoint and its digests count what is not kept any more, removed
/// list elements and deleted objects without a declared key.
@Suite struct `a file of format 1` {
  private let path = TestFolder.path("format-1")
  private let text: String

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Format1")
    try FileManager.default.copyItem(
      atPath: folder.appending(path: "store.atoll").path, toPath: path)
    text = try String(contentsOf: folder.appending(path: "export.txt"), encoding: .utf8)
  }

  @Test func `is read as it was where nothing may be written`() throws {
    let file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true))
    defer { file.close() }
    #expect(try exported(file) == text)
    #expect(try file.checkDigests().isEmpty)
    #expect(try count("atoll_dead") == 3)
  }

  @Test func `is upgraded when it is opened, and made anew from its checkpoint`() throws {
    let file = try StoreFile.open(path)
    defer { file.close() }
    #expect(try exported(file) == text)
    #expect(try count("atoll_dead") == 1)
    #expect(try file.checkDigests().isEmpty)
    #expect(try file.verify() == [])
  }

  @Test func `gives a snapshot to a new replica`() throws {
    let file = try StoreFile.open(path)
    defer { file.close() }
    try file.makeSnapshot()
    let new = try taker(of: file)
    #expect(try new.exported() == text)
    #expect(try count("\"Document.items\" WHERE _removed = 1") == 2)
    #expect(try count("\"Document.items\" WHERE _removed = 1", in: new.path) == 0)
    #expect(try new.file.stateDigest() == file.stateDigest())
  }

  /// As its own pages show, which an earlier build made.
  @Test func `has a checkpoint that a new replica can take`() throws {
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("UPDATE atoll_snapshot SET state = 1 WHERE state = 3")
    connection.close()
    let file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true))
    defer { file.close() }
    let new = try taker(of: file)
    #expect(try new.file.checkDigests().isEmpty)
  }

  private func taker(of file: StoreFile) throws -> TestStore {
    let offer = try #require(try file.snapshotOffer())
    let new = try TestStore("new")
    _ = try new.file.beginStaging(offer.id)
    _ = try new.file.stage(
      try file.snapshotPages(of: offer.id, from: 0, count: offer.pages), of: offer.id)
    #expect(try new.file.installSnapshot(offer.id) == .installed)
    return new
  }

  private func exported(_ file: StoreFile) throws -> String {
    var text = ""
    try file.export { text += $0 }
    return text
  }

  private func count(_ table: String, in path: String? = nil) throws -> Int64? {
    try Connection(path: path ?? self.path, access: .readOnly)
      .integer("SELECT count(*) FROM \(table)")
  }
}
