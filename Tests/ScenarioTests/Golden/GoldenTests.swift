import AtollChanges
import AtollStorage
import AtollVocabulary
import AtollWire
import Foundation
import TestKit
import Testing

/// The files and frames of every release, read by this one; `README.md` says how a release adds its
/// own.
@Suite struct GoldenTests {
  @Test(arguments: try Golden.releases)
  func `a file of every release is read, written to and taken by another replica`(
    release: Golden
  ) throws {
    let folder = TemporaryFolder(isInMemory: true)
    try FileManager.default.copyItem(
      atPath: release.path("store.atoll"), toPath: folder.storePath("A"))
    let old = try Peer("A", in: folder)
    #expect(try old.export() == release.text("export.txt"))
    #expect(try old.store.verify() == [])

    old.clock.set(secondsAfterStart: 7200)
    try old.write { try $0.document.set("name", "written by a later release") }
    let new = try Peer("N", in: folder)
    new.clock.set(secondsAfterStart: 7200)
    try new.receive(from: old)
    try expectEqual([old, new], "a file of release \(release), and who took its whole log")
  }

  @Test(arguments: try Golden.releases)
  func `the frames of every release are read`(release: Golden) throws {
    var decoder = FrameDecoder()
    var expected: [String] = []
    for line in try release.text("frames.txt").split(separator: "\n") {
      if line.hasPrefix("means: ") {
        expected.append(String(line.dropFirst(7)))
      } else {
        decoder.append(try #require(Hexadecimal.bytes(line)))
      }
    }
    var found: [String] = []
    while let frame = try decoder.next() { found += frame.lines }
    #expect(found == expected)
    #expect(!found.isEmpty)
  }

  @Test(.enabled(if: Golden.wanted != nil, "ATOLL_GOLDEN names no release"))
  func `the golden inputs of a release are made`() throws {
    try GoldenMaker(release: #require(Golden.wanted)).make()
  }
}

/// The folder of one release.
struct Golden: CustomStringConvertible {
  let description: String

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// The release whose inputs are to be made in this run.
  static let wanted = ProcessInfo.processInfo.environment["ATOLL_GOLDEN"].map(Golden.init)

  static var releases: [Golden] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !$0.contains(".swift") && !$0.contains(".md") }.sorted().map(Golden.init)
    }
  }

  init(_ name: String) { description = name }

  func path(_ file: String) -> String {
    Self.folder.appending(path: description).appending(path: file).path
  }

  func text(_ file: String) throws -> String {
    try String(contentsOfFile: path(file), encoding: .utf8)
  }
}
