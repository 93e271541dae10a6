import AtollSQLite
import Foundation
import TestKit
import Testing

/// A reader that has the file mapped, while another connection commits.
@Suite struct `a mapped database` {
  private let folder: TemporaryFolder
  private let path: String
  private let writer: Connection
  private let reader: Connection
  private static let rows = 4000

  init() throws {
    folder = TemporaryFolder()
    path = folder.file("mapped.sqlite").path
    writer = try Connection(path: path, access: .create)
    _ = try writer.texts("PRAGMA journal_mode = WAL")
    try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, filler TEXT)")
    reader = try Connection(path: path, access: .readWrite)
    try reader.execute("PRAGMA mmap_size = 1073741824")
    try fill(with: 1)
  }

  #if os(Linux)
  @Test func `stays in memory when somebody else commits`() throws {
    #expect(try sum() == Int64(Self.rows))
    let pages = try residentKilobytes()
    #expect(pages >= 1000, "all of the file was read")
    try writer.execute("UPDATE t SET v = 2 WHERE id = 7")
    #expect(try reader.integer("SELECT v FROM t WHERE id = 7") == 2)
    #expect(try residentKilobytes() >= pages)
  }
  #endif

  @Test func `is read as it is after it has grown`() throws {
    #expect(try sum() == Int64(Self.rows))
    try fill(with: 3)
    #expect(try sum() == Int64(4 * Self.rows))
    #expect(try sum() == writer.integer("SELECT sum(v) FROM t"))
  }

  @Test func `is read as it is after it was cut short, and after it has its old length again`()
    throws
  {
    #expect(try sum() == Int64(Self.rows))
    let size = try fileSize()
    try writer.execute("DELETE FROM t; VACUUM")
    try checkpoint()
    #expect(try fileSize() < size)
    #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    try fill(with: 5)
    #expect(try sum() == Int64(5 * Self.rows))
  }

  @Test func `is read as it is if it was cut short and grown while nobody looked`() throws {
    var sizes: [Int64] = []
    for value in [7, 9] {
      try writer.execute("DELETE FROM t; VACUUM")
      try checkpoint()
      #expect(try fileSize() < 100_000)
      try fill(with: value)
      sizes.append(try fileSize())
      #expect(try sum() == Int64(value * Self.rows))
    }
    #expect(sizes[0] == sizes[1])
  }

  // MARK: -

  /// Adds rows of half a kilobyte, and moves them into the database file.
  private func fill(with value: Int) throws {
    try writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
      INSERT INTO t (v, filler) SELECT \(value), hex(randomblob(250)) FROM n
      """)
    try checkpoint()
  }

  private func checkpoint() throws {
    _ = try writer.texts("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Of every row, read through the fillers behind which they lie.
  private func sum() throws -> Int64? {
    try reader.integer("SELECT sum(v * (length(filler) = 500)) FROM t")
  }

  private func fileSize() throws -> Int64 {
    try #require(FileFacts.size(path: path))
  }

  #if os(Linux)
  /// Returns the part of the file in this process's memory, as the system counts it.
  private func residentKilobytes() throws -> Int {
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    let parts = text.components(separatedBy: path + "\n").dropFirst()
    return parts.reduce(0) { sum, part in
      let line = part.split(separator: "\n").first { $0.hasPrefix("Rss:") }
      return sum + (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
    }
  }
  #endif
}
