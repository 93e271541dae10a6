import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

@testable import AtollCluster

/// What `atoll` says of an author with two histories.
@Suite struct ForkCommandTests {
  private let folder = Folder()

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  /// a.atoll, put back into the same file between two writes, and b.atoll, which has heard of both.
  private func makeStores() throws -> Author {
    let file = try folder.makeCities(at: "a.atoll")
    let author = file.author
    file.close()
    let image = try contents(of: "a.atoll")
    try folder.makeCountry("DE", at: folder.path("a.atoll"))
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    try putBack(image)
    try folder.makeCountry("FR", at: folder.path("a.atoll"))
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    return author
  }

  /// Of a store that nobody has open, with its write-ahead log.
  private func contents(of name: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in [folder.path(name), folder.path(name + "-wal")]
    where FileManager.default.fileExists(atPath: path) {
      contents[path] = try Data(contentsOf: URL(filePath: path))
    }
    return contents
  }

  /// Into the same files, as if the disk had been put back.
  private func putBack(_ contents: [String: Data]) throws {
    for (path, data) in contents {
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: data)
      try file.close()
    }
    try? FileManager.default.removeItem(atPath: folder.path("a.atoll-shm"))
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
}
