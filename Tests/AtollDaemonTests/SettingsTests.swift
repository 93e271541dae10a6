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
      let text = text.replacingOccurrences(of: "FOLDER", with: folder)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      settings = try Settings(try SettingValues(file: path))
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
      """)
    #expect(
      settings.node.stores.map { ($0 as NSString).lastPathComponent } == ["one.atoll", "two.atoll"])
    #expect(settings.node.stores.allSatisfy { $0.hasPrefix("/") })
    #expect(settings.node.listen?.description == "127.0.0.1:0")
    #expect(settings.node.peers.map(\.description) == ["127.0.0.1:7401", "localhost:7402"])
    #expect(settings.portFile?.hasSuffix("/port") == true)
    #expect(settings.logLevel == .debug)
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
    ("store = FOLDER/a\nlisten = 0.0.0.0:7400", ":2, listen", "not encrypted"),
    ("store = FOLDER/a\npeer = 10.0.0.1:7400", ":2, peer", "not encrypted"),
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

  @Test func `a settings file that is not there is named`() throws {
    let error = #expect(throws: DaemonFailure.self) {
      try SettingValues(file: "/nowhere/atolld.conf")
    }
    #expect(error?.description.contains("/nowhere/atolld.conf") == true)
  }

  @Test func `a flag replaces the value of the file`() async throws {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      try "store = \(folder)/a\npeer = 127.0.0.1:1\npeer = 127.0.0.1:2".write(
        toFile: path, atomically: false, encoding: .utf8)
      var values = try SettingValues(file: path)
      values.replace(.peer, with: ["127.0.0.1:3"], from: "--peer")
      values.replace(.listen, with: [], from: "--listen")
      #expect(try Settings(values).node.peers.map(\.description) == ["127.0.0.1:3"])
    }
  }
}
