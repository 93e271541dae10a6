import AtollSQLite
import Foundation
import TestKit
import Testing

/// A write-ahead log that is made longer ahead of the commits.
@Suite struct `room in the log` {
  private let folder: TemporaryFolder
  private let path: String
  private let writers: [Connection]

  init() throws {
    folder = TemporaryFolder()
    let path = folder.file("room.sqlite").path
    self.path = path
    writers = try (0..<2).map { _ in try Connection(path: path, access: .create) }
    _ = try writers[0].texts("PRAGMA journal_mode = WAL")
    try writers[0].execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, filler TEXT)")
  }

  @Test func `is there before a commit needs it, and no more than half a mebibyte`() throws {
    let note = WriteAheadLogNote()
    writers[0].onWriteAheadLog(note)
    var overwriting = 0
    for row in 1...400 {
      let before = try logSize()
      try insert(row, by: writers[0])
      let after = try logSize()
      #expect(after >= 32 + note.pages * 4120 && after - note.pages * 4120 <= 520 << 10)
      if after == before { overwriting += 1 }
    }
    #expect(overwriting > 350)
    #expect(try rows(inCopyOf: path) == 400)
  }

  @Test
  func `is filled by a commit in one write, and by one that does not wait for the disk at once`()
    throws
  {
    for mode in ["FULL", "NORMAL"] {
      let disk = try FaultDisk()
      let path = folder.file("\(mode).sqlite").path
      let writer = try Connection(path: path, access: .create, disk: disk)
      _ = try writer.texts("PRAGMA journal_mode = WAL")
      try writer.execute("PRAGMA synchronous = \(mode)")
      try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, filler TEXT)")
      for row in 1...50 { try insert(row, by: writer) }
      disk.flush()
      // The power goes when the disk is waited for, or the transaction is over without.
      disk.plan(FaultDisk.Plan(.cut, at: [.flush], of: .log))
      try? insert(51, by: writer)
      #expect(mode == "FULL" ? disk.unflushedCount == 1 : disk.unflushedCount > 1)
      disk.plan(nil)
      disk.returnPower()
      writer.close()
      #expect(try rows(inCopyOf: path) == 51)
    }
  }

  @Test func `has nothing of a transaction that was given up once another writes there`() throws {
    for row in 1...20 { try insert(row, by: writers[row % 2]) }
    // More than its cache holds goes to the log before the commit.
    try writers[0].execute("PRAGMA cache_size = 5; PRAGMA cache_spill = 5")
    for row in 21...40 {
      try writers[0].execute("BEGIN IMMEDIATE")
      for other in 0..<12 {
        try writers[0].execute(
          "INSERT INTO t (id, v, filler) VALUES (\(1000 + other), 0, hex(randomblob(1500)))")
      }
      try writers[0].execute("ROLLBACK")
      try insert(row, by: writers[1])
      #expect(try writers[0].integer("SELECT count(*) FROM t") == Int64(row))
      #expect(try rows(inCopyOf: path) == Int64(row))
    }
    #expect(try writers[1].texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test(arguments: 1...10)
  func `harms nobody's commits, wherever the log begins anew, whoever cuts it`(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    for row in 1...200 {
      let writer = writers[random.below(2)]
      try insert(row, by: writer, bytes: random.chance(1, of: 20) ? 300_000 : 100)
      if random.chance(1, of: 40) {
        let mode = ["PASSIVE", "RESTART", "TRUNCATE"][random.below(3)]
        _ = try writers[random.below(2)].texts("PRAGMA wal_checkpoint(\(mode))")
      }
      if random.chance(1, of: 10) {
        #expect(try rows(inCopyOf: path) == Int64(row), "seed \(seed)")
      }
    }
    #expect(try writers[0].texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `is done without where the disk has none`() throws {
    let disk = try FaultDisk()
    let path = folder.file("full.sqlite").path
    let writer = try Connection(path: path, access: .create, disk: disk)
    _ = try writer.texts("PRAGMA journal_mode = WAL")
    try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, filler TEXT)")
    var (count, withoutRoom) = (0, 0)
    for row in 1...400 {
      // The first write of a commit is that of room, where there is to be some.
      disk.plan(row % 2 == 0 ? FaultDisk.Plan(.full, at: [.write], of: .log) : nil)
      do {
        try insert(row, by: writer)
        count += 1
        if disk.hasFired { withoutRoom += 1 }
      } catch {
        disk.plan(nil)
        if writer.isInTransaction { try writer.execute("ROLLBACK") }
      }
    }
    disk.plan(nil)
    #expect(withoutRoom > 0 && count < 400)
    #expect(try writer.integer("SELECT count(*) FROM t") == Int64(count))
    writer.close()
    #expect(try rows(inCopyOf: path) == Int64(count))
  }

  // MARK: -

  private func insert(_ row: Int, by writer: Connection, bytes: Int = 100) throws {
    try writer.execute("BEGIN IMMEDIATE")
    writer.makeLogRoom()
    try writer.execute(
      """
      INSERT INTO t (id, v, filler) VALUES (\(row), \(row), hex(randomblob(\(bytes / 2))));
      UPDATE t SET v = v WHERE id % 50 = \(row % 50);
      COMMIT
      """)
  }

  private func logSize() throws -> Int {
    Int(try #require(FileFacts.size(path: path + "-wal")))
  }

  /// Returns the rows that a machine finds which reads the files as they are now.
  private func rows(inCopyOf path: String) throws -> Int64? {
    let copy = folder.file("copy.sqlite").path
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy + suffix)
      if suffix == "-shm" { continue }
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    let reader = try Connection(path: copy, access: .readWrite)
    defer { reader.close() }
    return try reader.integer("SELECT count(*) FROM t WHERE length(filler) >= 100")
  }
}
