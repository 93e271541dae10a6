import AtollEventLoop
import AtollPresence
import AtollVocabulary
import AtollWire
import Foundation
import LoopTestKit
import Testing

@Suite struct StoreWatchTests {
  /// Appends to the store's write-ahead log, as a commit of another process does.
  private func commit(_ store: String) throws {
    let handle = try #require(FileHandle(forWritingAtPath: store + "-wal"))
    handle.seekToEndOfFile()
    handle.write(Data("frame".utf8))
    try handle.close()
  }

  @Test func `without a node, a commit is noticed by the file`() async throws {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try "".write(toFile: store + "-wal", atomically: false, encoding: .utf8)
      let calls = Shared(0)
      let started = Promise<Bool>()
      let noticed = Promise<Bool>()
      let watch = try StoreWatch(path: store) {
        let count = calls.withLock { count in
          count += 1
          return count
        }
        if count == 1 { started.keep(true) } else { noticed.keep(true) }
      }
      defer { watch.stop() }
      _ = try await started.value()
      try commit(store)
      #expect(try await noticed.value())
    }
  }

  @Test func `a node that comes and goes and comes is found again, and told of commits`()
    async throws
  {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try "".write(toFile: store + "-wal", atomically: false, encoding: .utf8)
      let own = Shared<StoreWatch?>(nil)
      // Being connected is answered by a call; announcing earlier does no harm.
      let watch = try StoreWatch(path: store) {
        own.withLock { $0 }?.announceCommit(CommitNumber(1))
      }
      own.withLock { $0 = watch }
      defer { watch.stop() }
      try await withLoop { place in
        for _ in 0..<2 {
          let told = Promise<Bool>()
          try await place.run { place throws(EventLoopError) in
            let socket = try LocalSocket(
              StorePaths(store), latest: CommitNumber(0), compression: Compression(),
              loop: place.loop)
            socket.onCommitted = { told.keep(true) }
            place.keep(socket)
          }
          #expect(try await told.value())
          await place.run { place in
            for socket in place.kept.compactMap({ $0 as? LocalSocket }) { socket.close() }
            place.kept = []
          }
        }
      }
      own.withLock { $0 = nil }
    }
  }

  @Test func `a watch that was stopped does not call`() async throws {
    try await withFolder { folder in
      let store = folder + "/s.atoll"
      try "".write(toFile: store + "-wal", atomically: false, encoding: .utf8)
      let first = Promise<Bool>()
      let second = Promise<Bool>()
      let stopped = Shared(0)
      let watch = try StoreWatch(path: store) {
        stopped.withLock { $0 += 1 }
        first.keep(true)
      }
      _ = try await first.value()
      watch.stop()
      let other = try StoreWatch(path: store) { second.keep(true) }
      defer { other.stop() }
      _ = try await second.value()  // the loop has worked off the stop
      let before = stopped.withLock { $0 }
      try commit(store)
      let third = Promise<Bool>()
      let last = try StoreWatch(path: store) { third.keep(true) }
      defer { last.stop() }
      _ = try await third.value()
      #expect(stopped.withLock { $0 } == before)
    }
  }
}
