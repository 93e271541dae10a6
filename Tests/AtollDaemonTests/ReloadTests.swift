import AtollNode
import AtollPresence
import AtollStorage
import Foundation
import LoopTestKit
import Testing

/// Settings that change under real daemons.
@Suite struct ReloadTests {
  private func settle(_ lines: [String], at path: String) throws {
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// A daemon that waits for others, on a store of the common id.
  private func peer(_ name: String, in folder: String) async throws -> (DaemonProcess, UInt16) {
    let path = "\(folder)/\(name).atoll"
    try StoreFile.open(path, options: StoreOptions(storeID: ObservingTests.storeID)).close()
    let daemon = try DaemonProcess(["--store", path, "--listen", "127.0.0.1:0"], in: folder)
    return (daemon, try await daemon.port())
  }

  @Test func `peers and stores come and go at SIGHUP, and healthy links stay`() async throws {
    try await withFolder { folder in
      let (b, portB) = try await peer("b", in: folder)
      let (c, portC) = try await peer("c", in: folder)
      let path = folder + "/atolld.conf"
      let a = folder + "/a.atoll"
      try StoreFile.open(a, options: StoreOptions(storeID: ObservingTests.storeID)).close()
      let common = ["store = \(a)", "listen = 127.0.0.1:0", "peer = 127.0.0.1:\(portB)"]
      try settle(common, at: path)
      let daemon = try DaemonProcess(["--config", path], in: folder)
      try await daemon.said("127.0.0.1:\(portB) is up")

      try settle(
        common + [
          "peer = 127.0.0.1:\(portC)", "store = \(folder)/more.atoll", "log-level = debug",
        ], at: path)
      daemon.send(SIGHUP)
      try await daemon.said("the settings are reloaded: ")
      try await daemon.said("127.0.0.1:\(portC) is up")
      let said = daemon.errors
      #expect(said.contains("store \(folder)/more.atoll added"))
      #expect(said.contains("log-level is debug"))
      #expect(FileManager.default.fileExists(atPath: folder + "/more.atoll"))
      try ObservingTests.write(1, to: a)
      try await c.said(" is up")

      try settle(["store = \(a)", "listen = 127.0.0.1:0", "peer = 127.0.0.1:\(portC)"], at: path)
      daemon.send(SIGHUP)
      try await daemon.said("the settings are reloaded: ", times: 2)
      try await b.said("no longer told to connect to 127.0.0.1:\(portB)")
      #expect(daemon.errors.contains("store \(folder)/more.atoll removed"))
      #expect(StoreStatus.current(ofStoreAt: folder + "/more.atoll") == nil)
      // The link to C has been there all the time, and there is no peer but C any more.
      #expect(daemon.errors.components(separatedBy: "127.0.0.1:\(portC) is up").count == 2)
      let ended = daemon.errors.split(separator: "\n").filter {
        $0.contains("with 127.0.0.1:\(portC) ") && $0.contains("closed")
          && $0.contains("store=\(a)")
      }
      #expect(ended == [])
      let known = try await daemon.wait {
        let peers = StoreStatus.current(ofStoreAt: a)?.peers.map(\.address)
        return peers?.contains("127.0.0.1:\(portB)") == false ? peers : nil
      }
      #expect(known == ["127.0.0.1:\(portC)"])
    }
  }

  @Test func `settings that are wrong change nothing, and are said`() async throws {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      try settle(["store = \(folder)/a.atoll", "listen = 127.0.0.1:0"], at: path)
      let daemon = try DaemonProcess(["--config", path], in: folder)
      let port = try await daemon.port()
      try settle(["stroe = x", "listen = nowhere"], at: path)
      daemon.send(SIGHUP)
      try await daemon.said("stay in effect")
      #expect(daemon.errors.contains("did you mean \"store\"?"))
      #expect(StoreStatus.current(ofStoreAt: folder + "/a.atoll")?.listening == "127.0.0.1:\(port)")
    }
  }

  @Test func `what needs a restart is said`() async throws {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      try settle(["store = \(folder)/a.atoll", "listen = 127.0.0.1:0"], at: path)
      let daemon = try DaemonProcess(["--config", path], in: folder)
      _ = try await daemon.port()
      try settle(["store = \(folder)/a.atoll", "metrics = 127.0.0.1:0"], at: path)
      daemon.send(SIGHUP)
      try await daemon.said("changed of listen, metrics takes effect at the next start")
    }
  }

  @Test func `a check shows every setting and its place, and opens nothing`() async throws {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      try settle(["store = \(folder)/a.atoll"], at: path)
      let daemon = try DaemonProcess(
        ["--config", path, "--check"], in: folder, environment: ["ATOLLD_LOG_LEVEL": "debug"])
      #expect(try await daemon.ended.value().exitCode == 0)
      #expect(daemon.output.contains("store = \(folder)/a.atoll    (\(path):1, store)"))
      #expect(daemon.output.contains("log-level = debug    (ATOLLD_LOG_LEVEL)"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/a.atoll"))
      try settle(["stoer = x", "listen = y"], at: path)
      let wrong = try DaemonProcess(["--config", path, "--check"], in: folder)
      #expect(try await wrong.ended.value().exitCode == 78)
      #expect(wrong.errors.split(separator: "\n").count == 3)
    }
  }

  @Test func `a store alone is enough`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(["--store", folder + "/a.atoll"], in: folder)
      let status = try await daemon.wait { StoreStatus.current(ofStoreAt: folder + "/a.atoll") }
      #expect(status.listening == nil)
      daemon.send(SIGTERM)
      #expect(try await daemon.ended.value().exitCode == 0)
    }
  }
}
