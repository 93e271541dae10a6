import AtollSQLite
import AtollVocabulary
import CSQLite
import Foundation
import TestKit
import Testing

@Suite struct `the write lock` {
  private let folder = TemporaryFolder()
  private var path: String { folder.path("lock") }

  @Test func `whoever comes second is told who holds it`() throws {
    let first = try WriteLock(path: path, holderName: "importer")
    let second = try WriteLock(path: path, holderName: "other")
    try first.acquire(timeout: .seconds(1))
    let pid = ProcessInfo.processInfo.processIdentifier
    let failure = #expect(throws: WriteLock.Failure.self) {
      try second.acquire(timeout: .milliseconds(5))
    }
    #expect(failure == .timedOut(holder: "importer (process \(pid))", waited: .milliseconds(5)))
  }

  @Test func `it can be taken as soon as it is given back`() throws {
    let first = try WriteLock(path: path, holderName: "first")
    let second = try WriteLock(path: path, holderName: "second")
    try first.acquire(timeout: .seconds(1))
    first.release()
    try second.acquire(timeout: .seconds(1))
    #expect(second.isHeld)
    #expect(!first.isHeld)
  }

  @Test func `it ends with the descriptor that holds it`() throws {
    var first: WriteLock? = try WriteLock(path: path, holderName: "first")
    try first?.acquire(timeout: .seconds(1))
    first = nil
    let second = try WriteLock(path: path, holderName: "second")
    try second.acquire(timeout: .seconds(1))
  }

  @Test func `a lock file that cannot be made says what the system said`() {
    let failure = #expect(throws: WriteLock.Failure.self) {
      _ = try WriteLock(path: "/proc/no-such-folder/lock", holderName: "x")
    }
    guard case .system(let failure)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(
      failure.description
        == "open of /proc/no-such-folder/lock: No such file or directory (error 2)")
  }

  @Test func `a writer in short pieces lets one who waits go first`() throws {
    let first = try WriteLock(path: path, holderName: "first")
    try first.acquire(timeout: .seconds(1))
    #expect(!first.isWanted)
    let waited = DispatchSemaphore(value: 0)
    let path = path
    Thread.detachNewThread {
      let second = try? WriteLock(path: path, holderName: "second")
      try? second?.acquire(timeout: .seconds(10))
      second?.release()
      waited.signal()
    }
    // The other thread waits once it is in the turnstile; the bound is for a broken lock.
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while !first.isWanted, ContinuousClock.now < deadline { sched_yield() }
    first.release()
    try first.acquire(timeout: .seconds(10))
    #expect(waited.wait(timeout: .now() + 10) == .success)
  }

  @Test func `a process that is stopped in the turnstile holds nobody up`() throws {
    let lock = try WriteLock(path: path, holderName: "first")
    let stopped = open(path, O_RDWR)
    defer { close(stopped) }
    #expect(csqlite_lock_byte(stopped, Int16(F_WRLCK), 0) == 0)
    try lock.acquire(timeout: .seconds(10))
    #expect(lock.isHeld && lock.isWanted)
    let other = try WriteLock(path: path, holderName: "other")
    #expect(throws: WriteLock.Failure.self) { try other.acquire(timeout: .milliseconds(300)) }
    lock.release()
    try other.acquire(timeout: .seconds(10))
  }
}
