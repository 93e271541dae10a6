import Atoll
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// The page `Errors.md` says of each error of the storage what the code says.
@Suite struct `the catalogue of errors` {
  /// A row of the page: the columns behind the name.
  struct Row: Hashable, CustomStringConvertible {
    let name: String
    let code: String
    let found: String
    let remedy: String

    var description: String { "| `\(name)` | `\(code)` | \(found) | \(remedy) |" }
  }

  @Test func `each row has the code, the message and the remedy of the code`() throws {
    let rows = try Self.rows()
    #expect(rows.map(\.name).sorted() == Self.samples.map(Self.name).sorted())
    for error in Self.samples {
      let message = error.message
      let expected = Row(
        name: Self.name(error), code: "\(Store.Error(error).code)",
        found: "\(message.failed): \(message.found)", remedy: message.remedy)
      #expect(rows.contains(expected), "the page lacks the row:\n\(expected)")
    }
  }

  @Test(arguments: samples)
  func `a message has three sentences, and none ends with a full stop`(error: StorageError) {
    let message = error.message
    for sentence in [message.failed, message.found, message.remedy] {
      #expect(!sentence.isEmpty && !sentence.hasSuffix("."))
    }
    #expect(message.remedy.first?.isUppercase == true)
    #expect(Store.Error(error).message == "\(error)")
  }

  private static func rows() throws -> [Row] {
    let page = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/Atoll/Atoll.docc/Errors.md")
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
      guard
        let match = line.wholeMatch(of: /\| `(StorageError\.\w+)` \| `(\w+)` \| (.*) \| (.*) \|/)
      else { return nil }
      return Row(
        name: String(match.1), code: String(match.2), found: String(match.3),
        remedy: String(match.4))
    }
  }

  private static func name(_ error: StorageError) -> String {
    "StorageError.\(Mirror(reflecting: error).children.first?.label ?? "?")"
  }

  /// One of each case, with words in capitals where the message names something.
  private static let samples: [StorageError] = {
    let author = Author(replica: ReplicaID(high: 1, low: 2), incarnation: Incarnation(3))
    let (path, doing, detail) = ("PATH", "DOING", "DETAIL")
    return [
      .notADatabase(path: path), .notAStore(path: path, applicationID: 42),
      .otherFormat(path: path, found: 4, supported: 3),
      .foreignObject(path: path, what: "a trigger", name: "NAME", remedy: "SQL"),
      .noSuchFile(path: path), .wrongPath(path: path, detail: detail, remedy: "REMEDY"),
      .otherStore(
        path: path, found: StoreID(high: 0, low: 1), expected: StoreID(high: 0, low: 2)),
      .alreadyExchanged(path: path, store: StoreID(high: 0, low: 1)),
      .notOwner(path: path, doing: doing, owners: [author.replica]),
      .noOwners(path: path, doing: doing),
      .ownerStays(path: path, owner: author.replica),
      .removed(path: path, doing: doing, replica: author.replica),
      .foreignLog(path: path, detail: detail), .damaged(path: path, detail: detail),
      .notWritable(path: path, doing: doing, detail: detail),
      .openedForReading(path: path, doing: doing), .diskFull(path: path, doing: doing),
      .systemCall(FileFailure("open", path: path, number: 2), doing: doing),
      .diskFailed(
        SQLiteError(code: .inputOutput, message: "disk I/O error", sql: nil, systemCode: 5),
        path: path, doing: doing),
      .outOfMemory(doing: doing), .noModule("fts5", doing: doing),
      .sqlite(SQLiteError(code: .constraint, message: "WORDS", sql: nil), doing: doing),
      .unexpected(detail: detail, doing: doing), .replaced(path: path, detail: detail),
      .locked(path: path, holder: "HOLDER", waited: .seconds(30)),
      .inUse(path: path, doing: doing),
      .tooManyVersions(path: path, count: 9, limit: 8, holders: ["HOLDER"]),
      .versionEnded(path: path),
      .doubtfulClock(path: path, now: WallTime(milliseconds: 1000), others: 2),
      .clockOutOfRange(
        path: path, now: WallTime(milliseconds: 1000), last: HybridTime(rawValue: 0)),
      .nothingDeferred(author),
      .notYet(path: path, doing: doing, detail: detail, remedy: "REMEDY"),
      .schemaClash(class: "CLASS", detail: detail), .duplicateKey(class: "CLASS", key: .int(7)),
      .noSuchClass(ClassID(7)), .noSuchObject(class: "CLASS", id: RowID(7)),
      .noSuchProperty(class: "CLASS", property: "PROPERTY"),
      .noFullTextIndex(class: "CLASS", property: "PROPERTY"),
      .noSuchElement(list: "PROPERTY", index: 7, count: 3),
      .typeMismatch(property: "PROPERTY", expected: .int, found: "FOUND"),
      .incrementOfNil(property: "PROPERTY"), .noSuchInstance(property: "PROPERTY"),
      .tooLarge(what: "WHAT", size: 9, limit: 8), .tooComplex(detail: detail),
      .noSuchConflict(7, detail: detail), .noSuchTarget(class: "CLASS", key: .int(7)),
      .notInTransaction(doing: doing), .alreadyInTransaction(doing: doing),
      .alreadyThere(path: path, doing: doing, remedy: "REMEDY"),
      .unsound(path: path, doing: doing, findings: ["FINDING", "FINDING"]),
    ]
  }()
}
