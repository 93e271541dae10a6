import AtollEventLoop
import AtollStorage
import Foundation
import LoopTestKit
import Testing

@testable import AtollDaemon

/// Real daemons under somebody who starts them as systemd does.
@Suite struct SupervisionTests {
  /// The datagrams that come at a Unix socket in `folder`.
  private final class Notices: Sendable {
    let path: String
    private let descriptor: Int32

    init(in folder: String) throws {
      path = folder + "/notify"
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(code == 0)
      var timeout = timeval(tv_sec: 10, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next notice that begins so; those before it are passed over.
    func next(_ beginning: String) throws -> String {
      while true {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count > 0, "no notice that begins with \(beginning)")
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        if text.hasPrefix(beginning) { return text }
      }
    }
  }

  @Test func `a supervisor is told of readiness, life, reloading and the end`() async throws {
    try await withFolder { folder in
      let notices = try Notices(in: folder)
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll"], in: folder,
        environment: ["NOTIFY_SOCKET": notices.path, "WATCHDOG_USEC": "2000000"])
      #expect(try notices.next("READY=1").contains("STATUS=serving 1 stores"))
      _ = try notices.next("WATCHDOG=1")
      daemon.send(SIGHUP)
      #expect(try notices.next("RELOADING=1").contains("MONOTONIC_USEC="))
      _ = try notices.next("READY=1")
      daemon.send(SIGTERM)
      _ = try notices.next("STOPPING=1")
      #expect(try await daemon.ended.value().exitCode == 0)
    }
  }

  @Test func `a socket that is handed over is listened at, whatever the settings say`() async throws
  {
    try await withFolder { folder in
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(listener) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(code == 0 && listen(listener, 8) == 0)
      let bound = try #require(SocketAddress(ofSocket: listener))
      for name in ["a", "b"] {
        try StoreFile.open(
          "\(folder)/\(name).atoll", options: StoreOptions(storeID: ObservingTests.storeID)
        ).close()
      }
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--listen", "127.0.0.1:0"], in: folder,
        environment: ["LISTEN_FDS": "1"], listener: listener)
      #expect(try await daemon.port() == bound.port)
      let other = try DaemonProcess(
        ["--store", folder + "/b.atoll", "--peer", "\(bound)"], in: folder)
      try await other.said("link 1 with \(bound) is up")
    }
  }
}
