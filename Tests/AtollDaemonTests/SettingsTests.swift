import AtollEventLoop
import AtollNode
import AtollTransport
import Foundation
import Logging
import LoopTestKit
import Testing

@testable import AtollDaemon

@Suite struct SettingsTests {
  /// The settings of a file with this text; `FOLDER` stands for a folder that exists.
  private func settings(_ text: String) async throws -> Settings {
    var settings: Settings?
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      let name = NSString(string: folder).lastPathComponent
      let text = text.replacingOccurrences(of: "FOLDERNAME", with: name)
        .replacingOccurrences(of: "FOLDER", with: folder)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      // The stores need not be there, except where a test is about that.
      let environment = text.contains("\ncreate =") ? [:] : ["ATOLLD_CREATE": "yes"]
      settings = try Settings(SettingValues(file: path, environment: environment))
    }
    return try #require(settings)
  }

  private func message(_ text: String) async throws -> String {
    let error = await #expect(throws: DaemonFailure.self) { try await settings(text) }
    #expect(error?.exitCode == 78)
    return try #require(error).description
  }

  @Test func `every key of a settings file arrives`() async throws {
    let settings = try await settings(
      """
      # a comment
      data = FOLDER

      store = one.atoll
      store=FOLDER/two.atoll
      listen = 127.0.0.1:0
      peer = 127.0.0.1:7401
      peer = localhost:7402
      port-file = FOLDER/port
      log-level = debug
      snapshot-after = 500
      truncate-after = 7
      """)
    #expect(
      settings.node.stores.map { ($0 as NSString).lastPathComponent } == ["one.atoll", "two.atoll"])
    #expect(settings.node.stores.allSatisfy { $0.hasPrefix("/") })
    #expect(settings.node.listen?.description == "127.0.0.1:0")
    #expect(settings.node.peers.map(\.description) == ["127.0.0.1:7401", "localhost:7402"])
    #expect(settings.portFile?.hasSuffix("/port") == true)
    #expect(settings.logLevel == .debug)
    #expect(settings.node.snapshotChangesets == 500)
    #expect(settings.node.truncationAge == .seconds(7 * 86_400))
  }

  @Test func `snapshots are given, and the log is cut, unless the settings say never`()
    async throws
  {
    let usual = try await settings("store = FOLDER/a").node
    #expect(usual.snapshotChangesets == 5000)
    #expect(usual.truncationAge == .seconds(30 * 86_400))
    let never = try await settings(
      "store = FOLDER/a\nsnapshot-after = never\ntruncate-after = never"
    ).node
    #expect(never.snapshotChangesets == nil && never.truncationAge == nil)
  }

  @Test func `the example that is shipped can be used, but for its folder`() async throws {
    let example = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("deploy/atolld.example.conf")
    let text = try String(contentsOf: example, encoding: .utf8)
      .replacingOccurrences(of: "/var/lib/atoll", with: "FOLDER")
    #expect(try await settings(text).node.listen?.description == "127.0.0.1:7400")
  }

  @Test(arguments: [
    ("store = a\nspeed = 9", ":2", "there is no key \"speed\""),
    ("store = FOLDER/a\nlisten", ":2", "expected `key = value`"),
    ("store =", ":1, store", "the value is missing"),
    ("listen = 127.0.0.1:1\nlisten = 127.0.0.1:2", ":2, listen", "stands twice"),
    ("store = FOLDER/a\nlisten = 127.0.0.1", ":2, listen", "the port is missing"),
    ("store = FOLDER/a\nlisten = peer.example:7400", ":2, listen", "a numeric address"),
    ("store = FOLDER/a\npeer = 10.0.0.1", ":2, peer", "the port is missing"),
    ("store = FOLDER/a\nsecurity = most", ":2, security", "expected one of automatic"),
    ("store = FOLDER/a\nsnapshot-after = 0", ":2, snapshot-after", "expected a number"),
    ("store = FOLDER/a\ntruncate-after = -1", ":2, truncate-after", "expected a number of days"),
    ("store = FOLDER/a\nstore = FOLDER/a", ":2, store", "listed twice"),
    ("store = FOLDER/none/a", ":1, store", "there is no folder"),
    ("store = FOLDER", ":1, store", "is a folder"),
    ("data = FOLDER/none\nstore = a", ":1, data", "there is no folder"),
    ("store = FOLDER/a\nport-file = FOLDER/port", ":2, port-file", "without --listen"),
    ("store = FOLDER/a\nlog-level = loud", ":2, log-level", "expected one of trace"),
    ("listen = 127.0.0.1:0", "settings", "no store is named"),
  ])
  func `a value that cannot be used is named with file, line and key`(
    text: String, place: String, problem: String
  ) async throws {
    let message = try await message(text)
    #expect(message.contains(place))
    #expect(message.contains(problem))
  }

  @Test func `everything that is wrong is said at once, in the order of the lines`() async throws {
    let message = try await message(
      """
      stoer = FOLDER/a
      listen = 127.0.0.1
      peer = 127.0.0.1:0
      peer = 10.0.0.1
      log-format = xml
      metrics = 0.0.0.0:9464
      """)
    let lines = message.split(separator: "\n")
    #expect(lines.count == 7)
    #expect(lines[0].contains(":1: there is no key \"stoer\"; did you mean \"store\"?"))
    #expect(message.contains("settings: no store is named"))
    for words in [
      ":2, listen: ", ":3, peer: nobody listens", ":4, peer: ", ":5, log-format: ", ":6, metrics: ",
    ] { #expect(message.contains(words), "\(words)") }
  }

  @Test func `a settings file that is not there is named`() throws {
    let error = #expect(throws: DaemonFailure.self) {
      try Settings(SettingValues(file: "/nowhere/atolld.conf"))
    }
    #expect(error?.description.contains("/nowhere/atolld.conf: the settings file") == true)
  }

  @Test func `flags replace the environment, which replaces the file`() async throws {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      try """
      store = \(folder)/a
      peer = 127.0.0.1:1
      peer = 127.0.0.1:2
      log-level = error
      log-format = json
      """.write(toFile: path, atomically: false, encoding: .utf8)
      let settings = try Settings(
        SettingValues(
          environment: [
            "ATOLLD_CONFIG": path, "ATOLLD_PEER": "127.0.0.1:3, 127.0.0.1:4",
            "ATOLLD_LOG_LEVEL": "debug", "ATOLLD_CREATE": "yes",
          ],
          flags: [.peer: ["127.0.0.1:5"], .listen: []]))
      #expect(settings.node.peers.map(\.description) == ["127.0.0.1:5"])
      #expect(settings.logLevel == .debug)
      #expect(settings.logFormat == .json)
      let second = try Settings(
        SettingValues(
          file: path,
          environment: ["ATOLLD_PEER": "127.0.0.1:3, 127.0.0.1:4", "ATOLLD_CREATE": "yes"]))
      #expect(second.node.peers.map(\.description) == ["127.0.0.1:3", "127.0.0.1:4"])
    }
  }

  @Test func `a variable that no setting has is a mistake, and the nearest is named`() throws {
    let values = SettingValues(environment: ["ATOLLD_LISEN": "x", "ATOLL_SEED": "7"])
    #expect(
      values.problems.map(\.description) == [
        "ATOLLD_LISEN: there is no such setting; did you mean \"ATOLLD_LISTEN\"?"
      ])
  }

  @Test func `one file under two names is one store`() async throws {
    let message = try await message("store = FOLDER/a\nstore = FOLDER/../FOLDERNAME/a")
    #expect(message.contains(":2, store"))
  }

  @Test func `a peer that is this daemon itself is refused`() async throws {
    let message = try await message("store = FOLDER/a\nlisten = 127.0.0.1:7\npeer = 127.0.0.1:7")
    #expect(message.contains(":3, peer: this daemon listens at 127.0.0.1:7 itself"))
  }

  @Test func `metrics are told beyond this machine only if that is asked for`() async throws {
    let text = "store = FOLDER/a\nmetrics = 0.0.0.0:9464"
    #expect(try await message(text).contains("metrics-beyond-loopback = yes"))
    let settings = try await settings(text + "\nmetrics-beyond-loopback = yes")
    #expect(settings.metrics?.description == "0.0.0.0:9464")
  }

  @Test(arguments: ["create = no", "create ="])
  func `issue 28.21: a store that is missing is not made unless that is asked for`(
    line: String
  ) async throws {
    let message = try await message("store = FOLDER/gone.atoll\n\(line)")
    #expect(message.contains(":1, store: there is no store"))
    #expect(message.contains("make it with `atoll init "))
    #expect(message.contains("create = yes"))
    let settings = try await settings("store = FOLDER/gone.atoll\ncreate = yes")
    #expect(settings.node.mayCreate)
    #expect(try await self.message("store = FOLDER/a\ncreate = perhaps").contains("create"))
  }

  @Test func `memory is bytes, with K, M or G behind them`() async throws {
    let settings = try await settings("store = FOLDER/a\nmemory = 64M\npeer-memory = 768k")
    #expect(settings.node.memoryBytes == 64 << 20)
    #expect(settings.node.peerMemoryBytes == 768 << 10)
  }

  @Test(arguments: [
    ("memory = lots", "found \"lots\", expected a number of bytes such as 64M"),
    ("memory = -1", "found \"-1\""), ("memory = 99999999999999999999G", "expected a number"),
    ("memory = 600K\nstore = FOLDER/b", "at least 1048576 are needed"),
    ("peer-memory = 1K", "1024 bytes are too few"),
    ("memory = 1M\npeer-memory = 2M", "more than `memory` has for all of them, 1048576 bytes"),
  ])
  func `memory that cannot be used is refused`(text: String, words: String) async throws {
    #expect(try await message("store = FOLDER/a\n" + text).contains(words))
  }

  @Test(arguments: ["compose.yaml", "Containerfile"])
  func `what the container files set are settings, each of which can be used`(
    name: String
  ) throws {
    let deploy = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("deploy")
    let text = try String(contentsOf: deploy.appendingPathComponent(name), encoding: .utf8)
    let found = text.matches(of: /(ATOLLD_[A-Z_]*[A-Z])[:=] ?"?([^" },\n]+)/)
    #expect(found.count >= 3)
    for match in found {
      var environment = [String(match.1): String(match.2)]
      environment["ATOLLD_STORE", default: "/tmp/a.atoll"] += ""
      environment["ATOLLD_CREATE"] = "yes"
      guard match.1 != "ATOLLD_DATA" else { continue }
      #expect(throws: Never.self) { try Settings(SettingValues(environment: environment)) }
    }
  }
}
