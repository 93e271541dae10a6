import AtollChanges
import AtollEventLoop
import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// Whole nodes in this process, on real files and sockets.
@Suite struct NodeTests {
  @Test func `what is committed at one node is in the file of its peer`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<10)
          try await there.agree(with: here)
          #expect(try there.count() == 10)
          #expect(try there.file.digest() == here.file.digest())
        }
      }
    }
  }

  @Test func `all that lies beside a served store is its owner's alone`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
          let names = try FileManager.default.contentsOfDirectory(atPath: folder)
          #expect(names.contains("a-status") && names.contains("a-socket"))
          for name in names {
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[
              .posixPermissions]
            #expect(((mode as? Int) ?? 0o777) & 0o077 == 0, "\(name)")
          }
        }
      }
    }
  }

  @Test
  func `scenario 46 what is stamped too far ahead passes through a relay, and is applied in time`()
    async throws
  {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { relay in
          try await withNode(folder + "/c", peers: [relay]) { _ in
            let here = try TestApplication(folder + "/a", clockAhead: 62_000)
            let there = try TestApplication(folder + "/c")
            let due = SystemClock.wallTime().milliseconds + 2000
            try here.write(0..<10)
            try await there.wait(for: try here.file.appliedVector())
            #expect(SystemClock.wallTime().milliseconds >= due)
            #expect(try there.file.deferredChangesets().isEmpty)
            try await there.agree(with: here)
            #expect(try there.file.digest() == here.file.digest())
          }
        }
      }
    }
  }

  @Test func `what was committed before anybody served the file is exchanged as well`()
    async throws
  {
    try await withFolder { folder in
      let here = try TestApplication(folder + "/a")
      try here.write(0..<100)
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let there = try TestApplication(folder + "/b")
          try await there.wait(for: try here.file.appliedVector())
          #expect(try there.count() == 100)
        }
      }
    }
  }

  @Test func `a commit that nobody announced is noticed by the file`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1, isAnnounced: false)
          try await there.wait(for: try here.file.appliedVector())
        }
      }
    }
  }

  @Test func `two processes at one store are told of each other's commits`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { _ in
        let one = try TestApplication(folder + "/a")
        let other = try TestApplication(folder + "/a")
        try one.write(0..<1)
        try await other.wait(for: try one.file.appliedVector())
        try other.write(1..<2)
        try await one.wait(for: try other.file.appliedVector())
      }
    }
  }

  @Test func `three nodes in a line agree after the middle one was away`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { portOfA in
        let a = try TestApplication(folder + "/a")
        var portOfB: UInt16 = 0
        let b = try makeNode([folder + "/b"], peers: [portOfA])
        try await b.start()
        portOfB = try #require(await b.listening).port
        try await withNode(folder + "/c", peers: [portOfB]) { _ in
          let c = try TestApplication(folder + "/c")
          try a.write(0..<50)
          try c.write(50..<100)
          try await c.wait(for: try a.file.appliedVector())
          try await a.wait(for: try c.file.appliedVector())
          await b.stop()
          try a.write(100..<150)
          try c.write(150..<200)
          let again = try makeNode([folder + "/b"], port: portOfB, peers: [portOfA])
          try await again.start()
          try await c.agree(with: a)
          #expect(try a.count() == 200)
          #expect(try a.file.digest() == c.file.digest())
          await again.stop()
        }
      }
    }
  }

  @Test func `a transaction far larger than a frame arrives whole`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<300, nameBytes: 3 * Limits.frameBytes / 300)
          try await there.agree(with: here)
          #expect(try there.file.digest() == here.file.digest())
        }
      }
    }
  }

  @Test func `a value of a hundred megabytes arrives whole`() async throws {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1, nameBytes: 100 << 20)
          try await there.agree(with: here, within: .seconds(240))
          #expect(try there.file.digest() == here.file.digest())
        }
      }
    }
  }

  @Test func `one node serves two stores, and peers find the one they mean`() async throws {
    try await withFolder { folder in
      let first = try TestApplication(folder + "/one", storeID: StoreID(high: 1, low: 1))
      let second = try TestApplication(folder + "/two", storeID: StoreID(high: 2, low: 2))
      try first.write(0..<1)
      try second.write(0..<2)
      let node = try makeNode([folder + "/one", folder + "/two"], storeID: nil)
      try await node.start()
      let port = try #require(await node.listening).port
      for (name, id, origin) in [
        ("/copy one", StoreID(high: 1, low: 1), first),
        ("/copy two", StoreID(high: 2, low: 2), second),
      ] {
        try await withNode(folder + name, storeID: id, peers: [port]) { _ in
          let copy = try TestApplication(folder + name, storeID: id)
          try await copy.wait(for: try origin.file.appliedVector())
          #expect(try copy.count() == origin.count())
        }
      }
      await node.stop()
    }
  }

  @Test func `the status beside a store tells who is connected, as long as it is served`()
    async throws
  {
    try await withFolder { folder in
      try await withNode(folder + "/a") { port in
        try await withNode(folder + "/b", peers: [port]) { _ in
          let here = try TestApplication(folder + "/a")
          let there = try TestApplication(folder + "/b")
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
          let status = try await status(of: folder + "/b") { $0.peers.first?.isConnected == true }
          #expect(status.peers.map(\.address) == ["127.0.0.1:\(port)"])
          #expect(status.peers.first?.replica == here.file.author.description)
          #expect(status.replica == there.file.author.description)
        }
      }
      #expect(StoreStatus.current(ofStoreAt: folder + "/b") == nil)
    }
  }

  @Test func `both sides of a link know how far the other's clock is from their own`()
    async throws
  {
    try await withFolder { folder in
      let late = try makeNode([folder + "/late"]) {
        WallTime(milliseconds: SystemClock.wallTime().milliseconds - 3_600_000)
      }
      try await run(late) { port in
        try await withNode(folder + "/right", peers: [port]) { _ in
          let right = try await status(of: folder + "/right") { $0.peers.first?.clockAhead != nil }
          let ahead = try #require(right.peers.first?.clockAhead)
          #expect((-3_600_500 ... -3_599_500).contains(ahead))
          let late = try await status(of: folder + "/late") { $0.peers.first?.clockAhead != nil }
          let behind = try #require(late.peers.first?.clockAhead)
          #expect((3_599_500...3_600_500).contains(behind))
        }
      }
    }
  }
}
