import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCluster
@testable import AtollCommand

/// The output of `atoll status` about healthy daemons and others.
@Suite struct StatusCommandTests {
  private let folder = TemporaryFolder()

  /// Lends a store with a daemon, which need not live at the end.
  private func withDaemon(_ body: (DaemonNode) throws -> Void) throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let node = try DaemonNode(
      name: "A", in: folder.url, storeID: .test, cleanUp: cleanUp)
    try node.start(peers: [])
    try body(node)
  }

  private func status(_ path: String, _ flags: String...) throws -> String {
    try Command.run(["status", path] + flags).text
  }

  private func processID(_ path: String) throws -> pid_t {
    let line = try status(path).split(separator: "\n").first { $0.hasPrefix("served ") }
    return try #require(
      line?.firstMatch(of: /process (\d+)/).flatMap { pid_t($0.1) })
  }

  /// Stops a daemon, which says nothing more, and has its last word be another; whoever calls lets it
  /// go on.
  private func stop(_ node: DaemonNode, saying change: (String) throws -> String) throws -> pid_t {
    let processID = try processID(node.storePath)
    kill(processID, SIGSTOP)
    let path = node.storePath + "-status"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try change(text).write(toFile: path, atomically: true, encoding: .utf8)
    return processID
  }

  @Test func `a daemon that was killed is said to have ended`() throws {
    try withDaemon { node in
      #expect(try status(node.storePath, "--json").contains("\"daemon\":\"serving\""))
      let processID = try processID(node.storePath)
      kill(processID, SIGKILL)
      let text = try Bounded.wait(.seconds(10)) {
        let text = try status(node.storePath)
        return text.contains("BROKEN") ? text : nil
      }
      #expect(
        text?.contains("BROKEN   atolld, process \(processID), ended without saying so") == true)
      #expect(try status(node.storePath, "--json").contains("\"daemon\":\"ended\""))
    }
  }

  @Test func `a daemon that hangs is said to be silent, and for how long`() throws {
    try withDaemon { node in
      // As if it had been stopped for a minute.
      let processID = try stop(node) { text in
        let time = try #require(text.firstMatch(of: /"time" : (\d+)/).flatMap { Int64($0.1) })
        return text.replacing("\"time\" : \(time)", with: "\"time\" : \(time - 60_000)")
      }
      defer { kill(processID, SIGCONT) }
      let told = try status(node.storePath)
      #expect(told.contains("BROKEN   it has said nothing for 6"))
      #expect(told.contains("process \(processID)"))
      #expect(told.contains("FAILING daemon-silent: process \(processID)"))
      #expect(try Command.run(["status", node.storePath]).code == 4)
      #expect(try status(node.storePath, "--json").contains("\"daemon\":\"silent\""))
    }
  }

  @Test func `how much of a snapshot is here is told, and how much of the history is not`() throws {
    try withDaemon { node in
      let processID = try stop(node) { text in
        let taking =
          #"{"from":"127.0.0.1:1","bytes":50,"of":200,"objects":1000,"isInstalling":false}"#
        return text.replacing(
          "\"time\"", with: "\"bootstrap\" : \(taking), \"backfill\" : 7, \"time\"")
      }
      defer { kill(processID, SIGCONT) }
      let told = try status(node.storePath)
      #expect(
        told.contains(
          "taking   a snapshot from 127.0.0.1:1: 25 % of 200 bytes, about 250 of 1000 objects"))
      #expect(told.contains("history  7 older changesets have still to come"))
      let json = try status(node.storePath, "--json")
      #expect(json.contains("\"backfill\":7") && json.contains("\"objects\":1000"))
    }
  }

  @Test func `issue 28.18: forged words of a peer and of a file do nothing to a terminal`() throws {
    try withDaemon { node in
      let forged = "\\u001b[2J\\u202eevil\\nreplica  forged"
      let processID = try stop(node) { text in
        let peer =
          "{\"address\":\"127.0.0.1:1\",\"isConnected\":true,\"isConfigured\":true,"
          + "\"declined\":\"\(forged)\",\"diskFull\":\"\(forged)\",\"name\":\"\(forged)\"}"
        return text.replacing("\"peers\" : [\n\n  ]", with: "\"peers\" : [\(peer)]")
      }
      defer { kill(processID, SIGCONT) }
      let told = try status(node.storePath)
      #expect(told.contains("TAKES NOTHING of \\u{1B}[2J\\u{202E}evil\\nreplica  forged"))
      for scalar in ["\u{1B}", "\u{202E}"] as [Unicode.Scalar] {
        #expect(!told.unicodeScalars.contains(scalar))
        #expect(try !status(node.storePath, "--json").unicodeScalars.contains(scalar))
      }
      #expect(!told.split(separator: "\n").contains { $0.hasPrefix("replica  forged") })
    }
  }

  @Test func `issue 28.18: names of classes and properties do nothing to a terminal`() throws {
    let name = "City\u{1B}[2J\u{202E}"
    let file = try StoreFile.open(folder.path("names.atoll"), options: StoreOptions())
    _ = try file.adopt([
      ClassSchema(name: name, properties: [PropertySchema(name: name, type: .int)])
    ])
    file.close()
    for flags in [[], ["--json"]] as [[String]] {
      let told = try Command.run(["schema", folder.path("names.atoll")] + flags).text
      #expect(told.contains("City\\u"), "\(told)")
      #expect(!told.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
    let refused = try Command.run(["objects", folder.path("names.atoll"), "no\u{1B}[2J"])
    #expect(refused.code == 1)
    #expect(!refused.text.unicodeScalars.contains("\u{1B}"), "\(refused.text)")
  }

  @Test func `a status that is not what a node writes is said to be unreadable`() throws {
    try withDaemon { node in
      let processID = try stop(node) { _ in "nonsense" }
      defer { kill(processID, SIGCONT) }
      #expect(try status(node.storePath).contains("is not what a node writes"))
    }
  }

  @Test func `a peer's clock is told if it is off by a second and more`() {
    #expect(StatusText.clockText(ahead: 999) == nil)
    #expect(StatusText.clockText(ahead: -999) == nil)
    #expect(StatusText.clockText(ahead: 1234) == ", its CLOCK is 1.2 s ahead")
    #expect(StatusText.clockText(ahead: -60_000) == ", its CLOCK is 60.0 s behind")
    #expect(StatusText.clockText(ahead: -3_600_000) == ", its CLOCK is 60 minutes behind")
  }

  @Test func `what a person should look at is coloured`() {
    #expect(StatusColour.colour(of: "store    1") == nil)
    #expect(StatusColour.colour(of: "served   by atolld, process 7") == .green)
    #expect(StatusColour.colour(of: "served   by nobody") == .yellow)
    #expect(StatusColour.colour(of: "peer     127.0.0.1:1 connected, lacks 2 changesets") == .green)
    #expect(StatusColour.colour(of: "peer     127.0.0.1:1 not connected") == .yellow)
    #expect(StatusColour.colour(of: "peer     127.0.0.1:1 connected, DIVERGED: x") == .red)
    let late = "peer     127.0.0.1:1 connected, its CLOCK is 2.0 s behind"
    #expect(StatusColour.colour(of: late) == .yellow)
    #expect(StatusColour.colour(of: "DISK FULL nothing of peers is applied: full") == .red)
    #expect(StatusColour.colour(of: "PAUSED   `atoll resume` has exchange go on") == .yellow)
    #expect(StatusColour.colour(of: "BROKEN   it") == .red)
    #expect(
      StatusColour.painted("MODIFIED externally: rows of A")
        == "\u{1B}[31mMODIFIED externally: rows of A\u{1B}[0m")
  }
}
