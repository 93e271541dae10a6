import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@testable import AtollCluster

/// The output of `atoll` about an author with two histories.
@Suite struct ForkCommandTests {
  private let folder = TemporaryFolder()

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  /// a.atoll, put back into the same file between two writes, and b.atoll, which has heard of both.
  private func makeStores() throws -> Author {
    let file = try folder.makeCities(at: "a.atoll")
    let author = file.author
    file.close()
    let image = try DiskImage(of: folder.path("a.atoll"))
    try folder.makeCountry("DE", at: folder.path("a.atoll"))
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    try image.putBack()
    try folder.makeCountry("FR", at: folder.path("a.atoll"))
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    return author
  }

  private func firsts() throws -> [(author: String, hash: String)] {
    let file = try StoreFile.open(folder.path("b.atoll"))
    defer { file.close() }
    let fork = try #require(try file.forks().first)
    return fork.firsts.map { ("\($0.author)", "\($0.hash)") }
  }

  @Test func `scenario 44 status names a forked author with the hashes of both histories`() throws {
    let author = try makeStores()
    let firsts = try firsts()
    #expect(firsts.count == 2)
    let hashes = firsts.map(\.hash)
    let status = try atoll("status", folder.path("b.atoll"))
    #expect(
      status.lines.contains(
        "forked   \(author) at changeset 3, which is \(hashes[0]) and \(hashes[1]); all are kept"))
    let json = try atoll("status", folder.path("b.atoll"), "--json")
    #expect(
      json.text.contains(
        #""forks":[{"author":"\#(author)","hashes":["\#(hashes[0])","\#(hashes[1])"],"sequence":3}]"#
      ))
    let whole = try atoll("status", folder.path("a.atoll"))
    #expect(!whole.text.contains("forked"))
    #expect(try atoll("verify", folder.path("b.atoll")).code == 0)
  }

  @Test func `scenario 44 log names beside each first changeset the other one`() throws {
    _ = try makeStores()
    let firsts = try firsts()
    let log = try atoll("log", folder.path("b.atoll")).lines
    let json = try atoll("log", folder.path("b.atoll"), "--json").lines
    for (first, other) in zip(firsts, firsts.reversed()) {
      #expect(
        log.contains {
          $0.contains("\t\(first.author)\t3\t")
            && $0.hasSuffix("\t\(first.hash.prefix(16))\tbeside \(other.hash.prefix(16))")
        })
      #expect(
        json.contains {
          $0.contains(#""beside":["\#(other.hash)"]"#) && $0.contains(#""hash":"\#(first.hash)""#)
        })
    }
    #expect(log.count { $0.contains("beside") } == 2)
  }
  @Test func `scenario 44 a disk rolled back under a daemon loses neither of its histories`() throws
  {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let (a, b) = (try node("A", cleanUp), try node("B", cleanUp))
    try b.start(peers: [])
    try folder.makeCountry("CH", at: a.storePath)
    let image = try DiskImage(of: a.storePath)
    try folder.makeCountry("DE", at: a.storePath)
    try a.start(peers: [b.port])
    try wait(for: "\"DE\"", in: "export", at: b)
    #expect(a.terminate())
    try image.putBack()
    try folder.makeCountry("FR", at: a.storePath)
    try a.restart()
    for node in [a, b] {
      for code in ["CH", "DE", "FR"] { try wait(for: "\"\(code)\"", in: "export", at: node) }
      try wait(for: "\nforked ", in: "status", at: node)
    }
    try folder.makeCountry("IT", at: a.storePath)
    try wait(for: "\"IT\"", in: "export", at: b)
    #expect(try atoll("export", a.storePath).text == atoll("export", b.storePath).text)
    for node in [a, b] { #expect(try atoll("verify", node.storePath).code == 0) }
  }

  private func node(_ name: String, _ cleanUp: CleanUp) throws -> DaemonNode {
    try DaemonNode(name: name, in: folder.url, storeID: .test, cleanUp: cleanUp)
  }

  /// Waits until what a command prints of a node's store has `text` in it.
  private func wait(for text: String, in command: String, at node: DaemonNode) throws {
    let found = try Bounded.wait(.seconds(20), while: { node.processID != nil }) {
      try atoll(command, node.storePath).text.contains(text) ? true : nil
    }
    #expect(found == true, "\(text) never came in the \(command) of \(node.name)")
  }
}
