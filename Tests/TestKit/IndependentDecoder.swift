import AtollVocabulary
import Foundation

/// `protocol/tools/decode.py`, run as anybody would run it.
///
/// It was written from the pages alone and shares no code with Atoll.
package enum IndependentDecoder {
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

  private static let python =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? ""

  private static let script = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../protocol/tools/decode.py").standardizedFileURL

  /// Returns its output for every vector: the lines below each name.
  ///
  /// - Throws: that it could not be started, or the code it ended with.
  package static func output() throws -> [String: [String]] { try output([]) }

  /// Returns its output for all bytes that one side of a link sent.
  ///
  /// - Parameter bytes: Preamble first.
  /// - Returns: The lines of each frame, and those of the changesets in it, under "frame 1" and so on.
  /// - Throws: As ``output()``.
  package static func output(ofStream bytes: [UInt8]) throws -> [String: [String]] {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.file("stream")
    try Data(bytes).write(to: file)
    return try output(["--stream", file.path])
  }

  /// The outcome of changesets, each after those that it depends on: hashes, digests and the export.
  ///
  /// - Throws: As ``output()``.
  package static func merged(
    _ history: [(author: String, bytes: [UInt8])]
  ) throws -> [String] {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.file("history")
    let lines = history.map { "\($0.author) \(Hexadecimal.text(bytes: $0.bytes))\n" }
    try Data(lines.joined().utf8).write(to: file)
    return try output(["--merge", file.path])[file.path] ?? []
  }

  /// All that the pages of a snapshot say and hold: its name, its authors, hashes, digests and the export.
  ///
  /// - Throws: As ``output()``.
  package static func held(byPages pages: [[UInt8]]) throws -> [String] {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.file("snapshot")
    try Data(pages.map { Hexadecimal.text(bytes: $0) + "\n" }.joined().utf8).write(to: file)
    return try output(["--snapshot", file.path])[file.path] ?? []
  }

  /// The lines in which it and Atoll differ on what changesets come to.
  ///
  /// - Parameters:
  ///   - history: Authors and bytes, each changeset after those that it depends on.
  ///   - export: The export of a store that has applied them.
  ///   - digests: The digest of each class that has one, by its name.
  ///   - total: That of the store.
  /// - Returns: None if they agree.
  /// - Throws: As ``output()``.
  package static func disagreements(
    on history: [(author: String, bytes: [UInt8])], export: String,
    digests: [(class: String, digest: String)], total: String
  ) throws -> [String] {
    let atoll = lines(export: export, digests: digests, total: total)
    let pages = comparable(try merged(history))
    return pages == atoll
      ? [] : Set(pages).symmetricDifference(atoll).sorted() + ["of \(pages.count)"]
  }

  /// The outcome of a store as the vectors write it, in an order of its own.
  package static func lines(
    export: String, digests: [(class: String, digest: String)], total: String
  ) -> [String] {
    comparable(
      export.split(separator: "\n").map { "export: \($0)" }
        + digests.map { "class: \($0.class) = \($0.digest)" } + ["digest: \(total)"])
  }

  /// The lines that Atoll has, too: it tells no single hash.
  package static func comparable(_ lines: [String]) -> [String] {
    lines.filter { line in
      ["class: ", "digest: ", "export: "].contains { line.hasPrefix($0) }
    }.sorted()
  }

  private static func output(_ arguments: [String]) throws -> [String: [String]] {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments = ["-B", script.path] + arguments
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Ended(command: "\(python) \(script.path)", code: process.terminationStatus)
    }
    let blocks = String(decoding: data, as: UTF8.self).components(separatedBy: "\n\n")
    return blocks.reduce(into: [:]) { found, block in
      let lines = block.split(separator: "\n").map(String.init)
      if let name = lines.first { found[name] = Array(lines.dropFirst()) }
    }
  }

  private struct Ended: Error {
    let command: String
    let code: Int32
  }
}
