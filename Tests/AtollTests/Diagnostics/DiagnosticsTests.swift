import Foundation
import TestKit
import Testing

// The compiler's messages about forms that people try and that do not exist.
@Suite struct DiagnosticsTests {
  /// Lines of errors and the sentences expected there, by number of the line.
  private typealias Messages = [Int: String]

  @Test func `a form that does not exist is refused with what to write instead`() async throws {
    let sample = Self.folder.appendingPathComponent("Samples/Misuse.swift")
    let expected = try Self.expectations(in: sample)
    let found = try await Self.errors(compiling: sample)
    #expect(Set(found.keys) == Set(expected.keys), "\(found)")
    for (line, sentence) in expected {
      let message = try #require(found[line])
      #expect(message.contains(sentence), "line \(line)")
      #expect(message.contains("conform to") == sentence.contains("conform to"), "line \(line)")
    }
  }

  /// The comments at the ends of lines.
  private static func expectations(in sample: URL) throws -> Messages {
    var messages: Messages = [:]
    let lines = try String(contentsOf: sample, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.hasPrefix("//") {
      guard let comment = line.firstRange(of: "  // ") else { continue }
      messages[index + 1] = String(line[comment.upperBound...])
    }
    return messages
  }

  /// The errors of a file that is compiled against the modules beside this test.
  private static func errors(compiling sample: URL) async throws -> Messages {
    let built = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    ).deletingLastPathComponent()
    let sources = folder.appendingPathComponent("../../../Sources").standardizedFileURL
    var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", "\(built.path)/Modules"]
    for module in ["CSQLite", "CUV", "COpenSSL", "CZstd"] {
      arguments += ["-Xcc", "-fmodule-map-file=\(sources.path)/\(module)/module.modulemap"]
    }
    arguments += [
      "-Xcc", "-fmodule-map-file=\(built.path)/CMetadata.build/module.modulemap",
      "-I", "\(sources.path)/CMetadata/include", sample.path,
    ]
    let (lines, code) = try await ProgramOutput.lines(
      of: "/usr/bin/env", ["timeout", "300"] + arguments)
    #expect(code == 1, "\(lines.suffix(5))")
    var messages: Messages = [:]
    for match in lines.compactMap({ $0.firstMatch(of: #/Misuse\.swift:(\d+):\d+: error: (.+)/#) }) {
      guard let line = Int(match.1) else { continue }
      messages[line, default: ""] += String(match.2) + "\n"
    }
    return messages
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
}
