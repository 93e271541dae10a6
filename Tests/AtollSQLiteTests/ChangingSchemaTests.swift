import AtollSQLite
import Foundation
import Synchronization
import TestKit
import Testing

@Suite struct `a schema that somebody else changes all the time` {
  private let folder: TemporaryFolder
  private let path: String
  private let reader: Connection
  private let kept: Statement

  init() throws {
    folder = TemporaryFolder()
    path = folder.file("changing.sqlite").path
    let connection = try Connection(path: path, access: .create)
    _ = try connection.texts("PRAGMA journal_mode = WAL")
    try connection.execute("BEGIN")
    // Long enough that reading them all takes longer than changing one of them.
    for number in 0..<500 { try connection.execute("CREATE TABLE t\(number) (a, b, c, d)") }
    try connection.execute("INSERT INTO t0 VALUES (1, 2, 3, 4)")
    try connection.execute("COMMIT")
    connection.close()
    reader = try Connection(path: path, access: .readWrite)
    kept = try reader.prepare("SELECT a FROM t0 ORDER BY rowid")
  }

  @Test func `is not in the way of a statement that only reads`() throws {
    let writing = Writing(path)
    defer { writing.end() }
    let deadline = ContinuousClock.now + .seconds(30)
    while writing.changes < 500, writing.failure == nil, ContinuousClock.now < deadline {
      #expect(try read() == 4)
    }
    #expect(writing.changes >= 500)
    #expect(writing.failure == nil)
  }

  /// The rows found by a statement that is kept, and by one compiled each time, also in a snapshot.
  private func read() throws -> Int64 {
    var rows = try reader.integer("SELECT a FROM t0") ?? 0
    while try kept.step() { rows += 1 }
    #expect(!reader.isInTransaction)
    try reader.inOneSnapshot {
      rows += try reader.integer("SELECT a FROM t0") ?? 0
      while try kept.step() { rows += 1 }
    }
    #expect(!reader.isInTransaction)
    return rows
  }
}

/// A thread that makes a table and drops it, again and again.
private final class Writing: Sendable {
  private struct State {
    var changes = 0
    var failure: (any Error)?
    var isEnding = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Comes back when it has begun.
  init(_ path: String) {
    Thread.detachNewThread { [self] in
      do {
        try write(path)
      } catch {
        state.withLock { $0.failure = error }
      }
      state.withLock { $0.hasEnded = true }
    }
    wait { $0.changes > 0 || $0.hasEnded }
  }

  var changes: Int { state.withLock { $0.changes } }
  var failure: (any Error)? { state.withLock { $0.failure } }

  func end() {
    state.withLock { $0.isEnding = true }
    wait { $0.hasEnded }
  }

  private func write(_ path: String) throws {
    let writer = try Connection(path: path, access: .readWrite)
    defer { writer.close() }
    // A reader of the log's index while it changes looks again with the writer's lock in hand.
    writer.setBusyTimeout(.seconds(10))
    try writer.execute("PRAGMA synchronous = OFF")
    while !state.withLock({ $0.isEnding }) {
      try writer.execute("CREATE TABLE more (a)")
      try writer.execute("DROP TABLE more")
      state.withLock { $0.changes += 1 }
    }
  }

  private func wait(until isSo: (State) -> Bool) {
    let deadline = ContinuousClock.now + .seconds(30)
    while !state.withLock({ isSo($0) }), ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.001)
    }
  }
}
