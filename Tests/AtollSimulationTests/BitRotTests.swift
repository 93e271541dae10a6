import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

@testable import AtollSimulation

/// Damage to a store's files while nobody has them open.
///
/// `ATOLL_SEEDS=1000` makes as many cases.
@Suite struct BitRotTests {
  private static let seeds =
    ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap { UInt64($0) } ?? 60

  /// Refused at opening, found by `verify`, or without consequence; and never passed on.
  @Test(arguments: 1...Self.seeds)
  func `damage to a file is found, and goes no further`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let original = try Original(in: folder.path, isMoved: seed % 2 == 0)
    var random = SeededGenerator(seed: seed)
    let damage = try original.damage(using: &random)
    let problems = original.problems(of: "\(folder.path)/damaged.atoll")
    #expect(problems.isEmpty, "seed \(seed), \(damage): \(problems)")
  }

  @Test func `a flipped bit of the log is refused by the file that would send it`() throws {
    let folder = try TemporaryFolder()
    let original = try Original(in: folder.path, isMoved: true)
    try original.flipInLog()
    let file = try StoreFile.open("\(folder.path)/damaged.atoll")
    defer { file.close() }
    #expect(throws: StorageError.self) {
      try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20)
    }
    #expect(try file.verify() != [])
  }
}

/// A store before it is damaged.
private struct Original {
  let folder: String
  let vector: VersionVector
  let export: String
  let entries: [LogEntry]

  /// Writes a store; `isMoved` says whether all of it is in the database, or all in its log.
  init(in folder: String, isMoved: Bool) throws {
    self.folder = folder
    let peer = try StoreStory.peerChangesets(in: folder)
    let path = "\(folder)/damaged.atoll"
    let story = StoreStory(path, on: try FaultDisk(), peer: peer)
    story.visit { file, note throws(StorageError) in
      for _ in 0..<4 { try story.write(file, note) }
      _ = try file.apply(peer)
      if isMoved { try file.checkpoint() }
    }
    if isMoved { try Data().write(to: URL(filePath: path + "-wal")) }
    let file = try StoreFile.open(path)
    defer { file.close() }
    vector = try file.appliedVector()
    export = try Self.export(of: file)
    entries = try Self.entries(of: file)
  }

  static func export(of file: StoreFile) throws -> String {
    var text = ""
    try file.export { text += $0 }
    return text
  }

  static func entries(of file: StoreFile) throws -> [LogEntry] {
    try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20).entries
  }

  // MARK: Damage

  /// Spoils one of the files, and says how.
  func damage(using random: inout SeededGenerator) throws -> String {
    let names = ["damaged.atoll", "damaged.atoll-wal"].filter { name in
      (try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")))?.isEmpty == false
    }
    let name = names.randomElement(using: &random) ?? "damaged.atoll"
    let url = URL(filePath: "\(folder)/\(name)")
    var bytes = [UInt8](try Data(contentsOf: url))
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...8192, using: &random))
    let kind = Int.random(in: 0..<5, using: &random)
    switch kind {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1:
      for _ in 0..<64 {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case 2: bytes.removeLast(bytes.count - place)
    case 3: for index in place..<end { bytes[index] = 0 }
    default:
      let source = Int.random(in: 0...(bytes.count - (end - place)), using: &random)
      bytes.replaceSubrange(place..<end, with: Array(bytes[source..<source + (end - place)]))
    }
    try overwrite(url, bytes)
    return "damage \(kind) at \(place) of \(name)"
  }

  /// Flips a bit in the last byte of a changeset.
  func flipInLog() throws {
    let url = URL(filePath: "\(folder)/damaged.atoll")
    var bytes = try Data(contentsOf: url)
    let changeset = Data(try #require(entries.first).bytes)
    let range = try #require(bytes.range(of: changeset, options: .backwards))
    bytes[range.upperBound - 1] ^= 1
    try overwrite(url, Array(bytes))
  }

  /// In place, so that it is not taken for a copy.
  private func overwrite(_ url: URL, _ bytes: [UInt8]) throws {
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  // MARK: Afterwards

  /// Returns the faults in the behaviour of a damaged file.
  func problems(of path: String) -> [String] {
    guard let file = try? StoreFile.open(path) else { return [] }
    defer { file.close() }
    return undetected(in: file) + propagated(by: file)
  }

  private func undetected(in file: StoreFile) -> [String] {
    guard (try? file.verify()) == [], let found = try? file.appliedVector() else { return [] }
    guard vector.includes(found) else { return ["it has \(found) of \(vector)"] }
    guard found == vector else { return [] }
    return (try? Self.export(of: file)) == export ? [] : ["verified, and another export"]
  }

  /// Changesets that a peer would take from the file, and that are not what they were.
  private func propagated(by file: StoreFile) -> [String] {
    let sent = try? Self.entries(of: file)
    // A write may fail or not, but without a trap.
    if let note = try? file.adopt([StoreStory.note]).first, let disk = try? FaultDisk() {
      try? StoreStory("", on: disk, peer: []).write(file, note)
    }
    guard let sent, let peer = try? StoreFile.open(":memory:") else { return [] }
    defer { peer.close() }
    _ = try? peer.apply(Self.incoming(sent))
    let known = (try? Self.entries(of: peer)) ?? []
    return known.compactMap { entry in
      guard
        let before = entries.first(where: {
          $0.id.author == entry.id.author && $0.id.sequence == entry.id.sequence
        }), vector[entry.id.author] >= entry.id.sequence
      else { return nil }
      return before.bytes == entry.bytes ? nil : "a peer took another \(entry.id)"
    }
  }

  /// As they travel: the hash of the last of a run alone.
  private static func incoming(_ entries: [LogEntry]) -> [IncomingChangeset] {
    entries.enumerated().map { index, entry in
      let isLast = index == entries.count - 1 || entries[index + 1].id.author != entry.id.author
      return IncomingChangeset(
        author: entry.id.author, sequence: entry.id.sequence, bytes: entry.bytes,
        expectedHash: isLast ? entry.id.hash : nil)
    }
  }
}
