import AtollEventLoop
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

@Suite struct EventLoopTests {
  @Test func `an actor of the loop runs on the loop's thread`() async throws {
    try await withLoop { place in
      #expect(!place.loop.isOnLoop)
      #expect(await place.run { $0.loop.isOnLoop })
    }
  }

  @Test func `work from many threads runs in the order of each`() async throws {
    try await withLoop { place in
      let seen = Shared<[Int: [Int]]>([:])
      await withTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask {
            for number in 0..<1000 {
              place.loop.perform { seen.withLock { $0[writer, default: []].append(number) } }
            }
          }
        }
      }
      await place.run { _ in }
      seen.withLock { seen in
        for writer in 0..<8 { #expect(seen[writer] == Array(0..<1000)) }
      }
    }
  }

  @Test func `the clock does not step back`() async throws {
    try await withLoop { place in
      let first = place.loop.now
      let second = await place.run { $0.loop.now }
      #expect(first <= second)
    }
  }

  @Test func `a timer fires once, and not early`() async throws {
    try await withLoop { place in
      let fired = Promise<Instant>()
      let start = place.loop.now
      await place.run { place in
        let timer = LoopTimer(loop: place.loop) { fired.keep(place.loop.now) }
        timer.start(after: .microseconds(2500))
      }
      let end = try await fired.value()
      #expect(end.duration(since: start) >= .microseconds(2500))
    }
  }

  @Test func `a cancelled timer does not fire`() async throws {
    try await withLoop { place in
      let later = Promise<Bool>()
      let fired = Shared(false)
      await place.run { place in
        let cancelled = LoopTimer(loop: place.loop) { fired.withLock { $0 = true } }
        cancelled.start(after: .milliseconds(1))
        cancelled.cancel()
        let timer = LoopTimer(loop: place.loop) { later.keep(true) }
        timer.start(after: .milliseconds(5))
      }
      _ = try await later.value()
      #expect(!fired.withLock { $0 })
    }
  }

  @Test func `what is put off to the end of the turn runs after what is ready`() async throws {
    try await withLoop { place in
      let order = Shared<[String]>([])
      let done = Promise<Bool>()
      await place.run { place in
        place.loop.atEndOfTurn {
          order.withLock { $0.append("end") }
          done.keep(true)
        }
        order.withLock { $0.append("turn") }
      }
      _ = try await done.value()
      #expect(order.withLock { $0 } == ["turn", "end"])
    }
  }

  @Test func `stopping closes handles that are open, and stopping again is no harm`() async throws {
    let loop = try EventLoop(name: "test")
    let place = OnLoop(loop)
    try await place.run { place throws(EventLoopError) in
      let timer = LoopTimer(loop: place.loop) {}
      timer.start(after: .seconds(3600))
      place.kept.append(timer)
      place.kept.append(try TCPListener(address: anyPort, loop: place.loop) { _ in })
    }
    async let first: Void = loop.stop()
    async let second: Void = loop.stop()
    _ = await (first, second)
    await loop.stop()
  }

  @Test func `a task that comes after the end is not left hanging`() async throws {
    let loop = try EventLoop(name: "test")
    await loop.stop()
    let place = OnLoop(loop)
    #expect(await place.run { $0.loop.isOnLoop })
  }

  @Test func `work that comes after the end may let go of the loop`() async throws {
    for _ in 0..<100 {
      let isOnLoop = try await Self.placeOnStoppedLoop().run { $0.loop.isOnLoop }
      #expect(isOnLoop)
    }
  }

  private static func placeOnStoppedLoop() async throws -> OnLoop {
    let loop = try EventLoop(name: "test")
    await loop.stop()
    return OnLoop(loop)
  }

  @Test func `a signal is told to every watch`() async throws {
    try await withLoop { place in
      let first = Promise<Bool>()
      let second = Promise<Bool>()
      try await place.run { place throws(EventLoopError) in
        _ = try SignalWatch(signal: SIGUSR2, loop: place.loop) { first.keep(true) }
        _ = try SignalWatch(signal: SIGUSR2, loop: place.loop) { second.keep(true) }
      }
      kill(getpid(), SIGUSR2)
      #expect(try await first.value())
      #expect(try await second.value())
    }
  }

  @Test func `a signal that cannot be watched is an error with libuv's name`() async throws {
    try await withLoop { place in
      let error = await #expect(throws: EventLoopError.self) {
        try await place.run { place throws(EventLoopError) in
          _ = try SignalWatch(signal: SIGKILL, loop: place.loop) {}
        }
      }
      #expect(error?.name == "EINVAL")
    }
  }

  @Test func `a watched file tells when it is written`() async throws {
    try await withFolder { folder in
      let path = folder + "/watched"
      try "one".write(toFile: path, atomically: false, encoding: .utf8)
      try await withLoop { place in
        let changed = Promise<Bool>()
        try await place.run { place throws(EventLoopError) in
          _ = try FileWatch(path: path, loop: place.loop) { _ in changed.keep(true) }
        }
        let handle = try #require(FileHandle(forWritingAtPath: path))
        handle.write(Data("two".utf8))
        try handle.close()
        #expect(try await changed.value())
      }
    }
  }

  @Test func `a watched folder names the entry that appeared`() async throws {
    try await withFolder { folder in
      try await withLoop { place in
        let changed = Promise<String?>()
        try await place.run { place throws(EventLoopError) in
          _ = try FileWatch(path: folder, loop: place.loop) { changed.keep($0) }
        }
        try "one".write(toFile: folder + "/entry", atomically: false, encoding: .utf8)
        #expect(try await changed.value() == "entry")
      }
    }
  }

  @Test func `watching nothing is an error that names the path`() async throws {
    try await withLoop { place in
      let error = await #expect(throws: EventLoopError.self) {
        try await place.run { place throws(EventLoopError) in
          _ = try FileWatch(path: "/nowhere/at/all", loop: place.loop) { _ in }
        }
      }
      #expect(error?.isNotFound == true)
      #expect(error?.description.contains("/nowhere/at/all") == true)
    }
  }
}
