import AtollEventLoop
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

@Suite struct ListenerTests {
  @Test func `port 0 becomes the port that the system chose`() async throws {
    try await withLoop { place in
      let port = try await place.run { place throws(EventLoopError) in
        try TCPListener(address: try anyPort, loop: place.loop) { _ in }.address.port
      }
      #expect(port != 0)
    }
  }

  @Test func `a port that is taken is an error naming address and remedy`() async throws {
    try await withLoop { place in
      let error = await #expect(throws: EventLoopError.self) {
        try await place.run { place throws(EventLoopError) in
          let first = try TCPListener(address: try anyPort, loop: place.loop) { _ in }
          _ = try TCPListener(address: first.address, loop: place.loop) { _ in }
        }
      }
      #expect(error?.isAddressInUse == true)
      let text = try #require(error?.description)
      #expect(text.contains("listening on 127.0.0.1:"))
      #expect(text.contains("EADDRINUSE"))
      #expect(text.contains("choose another port"))
    }
  }

  @Test func `a local socket carries bytes, and only its owner may connect`() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      try await withLoop { place in
        let received = Promise<[UInt8]>()
        try await place.run { place throws(EventLoopError) in
          _ = try UnixListener(path: path, loop: place.loop) { stream in
            stream.onBytes = { received.keep(Array($0)) }
            stream.startReading()
          }
          let client = ByteStream(connectingTo: path, loop: place.loop)
          client.onConnect = { client.write([4, 2]) }
        }
        #expect(try await received.value() == [4, 2])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a socket file that nobody answers at is replaced`() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      try leaveSocket(at: path)
      try await withLoop { place in
        try await place.run { place throws(EventLoopError) in
          _ = try UnixListener(path: path, loop: place.loop) { _ in }
        }
      }
    }
  }

  @Test func `a socket that a process answers at is left alone`() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      try await withLoop { place in
        let error = await #expect(throws: EventLoopError.self) {
          try await place.run { place throws(EventLoopError) in
            _ = try UnixListener(path: path, loop: place.loop) { _ in }
            _ = try UnixListener(path: path, loop: place.loop) { _ in }
          }
        }
        #expect(error?.isAddressInUse == true)
        #expect(FileManager.default.fileExists(atPath: path))
      }
    }
  }

  @Test func `a file that is no socket is left alone`() async throws {
    try await withFolder { folder in
      let path = folder + "/socket"
      try "mine".write(toFile: path, atomically: false, encoding: .utf8)
      try await withLoop { place in
        await #expect(throws: EventLoopError.self) {
          try await place.run { place throws(EventLoopError) in
            _ = try UnixListener(path: path, loop: place.loop) { _ in }
          }
        }
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
  }

  @Test func `a path that is too long for a socket is told apart`() async throws {
    try await withLoop { place in
      let path = "/tmp/" + String(repeating: "x", count: 120)
      let error = await #expect(throws: EventLoopError.self) {
        try await place.run { place throws(EventLoopError) in
          _ = try UnixListener(path: path, loop: place.loop) { _ in }
        }
      }
      #expect(error?.isPathTooLong == true)
    }
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
    ("10.0.0.1", false), ("0.0.0.0", false), ("::", false), ("2001:db8::1", false),
  ])
  func `loopback is known by address`(host: String, isLoopback: Bool) throws {
    let address = try #require(SocketAddress(host: host, port: 7400))
    #expect(address.isLoopback == isLoopback)
  }

  @Test func `a host name is looked up, a numeric one is its own answer`() async throws {
    try await withLoop { place in
      let named = Promise<[SocketAddress]>()
      let numeric = Promise<[SocketAddress]>()
      await place.run { place in
        for (host, promise) in [("localhost", named), ("127.0.0.1", numeric)] {
          _ = NameLookup(host: host, port: 7400, loop: place.loop) { result in
            promise.keep((try? result.get()) ?? [])
          }
        }
      }
      let addresses = try await named.value()
      #expect(!addresses.isEmpty)
      #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 7400 })
      #expect(try await numeric.value() == [SocketAddress(host: "127.0.0.1", port: 7400)])
    }
  }

  /// Leaves a socket file as a killed process would: bound, and closed without being removed.
  private func leaveSocket(at path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    close(descriptor)
  }
}
