import Foundation
import TestKit
import Testing

@testable import AtollCluster

// The page "Getting started", done word by word in an empty folder.
@Suite struct GettingStartedTests {
  /// A command of the page and the lines that stand below it.
  private struct Step {
    let command: String
    var expected: [String] = []
  }

  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL
  private static let page = top.appendingPathComponent("Sources/Atoll/Atoll.docc/GettingStarted.md")

  @Test func `each command of the page prints what the page shows`() throws {
    let session = try Session()
    defer { session.end() }
    let steps = try Self.blocks().flatMap(Self.steps)
    #expect(steps.count > 15)
    for step in steps { try session.take(step) }
  }

  @Test func `the manifest of the page is one`() async throws {
    let manifest = try #require(
      Self.blocks().first { $0.first?.hasPrefix("// swift-tools") == true })
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("tasks"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.url.appendingPathComponent("atoll"), withDestinationURL: Self.top)
    try manifest.joined(separator: "\n").write(
      toFile: folder.path("tasks/Package.swift"), atomically: true, encoding: .utf8)
    let (lines, code) = try await ProgramOutput.lines(
      of: "/usr/bin/env",
      [
        "timeout", "120", "swift", "package", "--package-path", folder.path("tasks"),
        "dump-package",
      ])
    #expect(code == 0, "\(lines.suffix(5))")
    #expect(lines.contains { $0.contains("\"Atoll\"") }, "\(lines)")
  }

  /// The blocks of the page that are not Swift.
  private static func blocks() throws -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in try String(contentsOf: page, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      guard line.hasPrefix("```") else {
        block?.append(String(line))
        continue
      }
      if let ended = block {
        blocks.append(ended)
        block = nil
      } else {
        block = []
      }
    }
    return blocks
  }

  private static func steps(of block: [String]) -> [Step] {
    guard block.first?.hasPrefix("$ ") == true else { return [] }
    var steps: [Step] = []
    for line in block {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else {
        steps[steps.count - 1].expected.append(line)
      }
    }
    return steps
  }

  /// A shell in an empty folder, with the programs in its path.
  private final class Session {
    private let folder = TemporaryFolder()
    private let cleanUp = CleanUp()
    private var daemons: [Program] = []
    /// The values of ports, names and placeholders of the page.
    private var words: [String: String] = [:]

    init() throws {
      for (name, program) in [
        ("tasks", "GettingStarted"), ("atoll", "atoll"), ("atolld", "atolld"),
      ] {
        try FileManager.default.createDirectory(
          at: folder.url.appendingPathComponent("bin"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
          at: folder.url.appendingPathComponent("bin/\(name)"),
          withDestinationURL: try Program.sibling(program))
      }
      words = [
        "7117": try Self.freePort(), "7118": try Self.freePort(), "0.0.0.0": "127.0.0.1",
        "office.example": "127.0.0.1",
      ]
    }

    func end() {
      for daemon in daemons { daemon.terminate(within: .seconds(20)) }
      cleanUp.run()
    }

    func take(_ step: Step) throws {
      var command = step.command
      for (word, meaning) in words { command = command.replacing(word, with: meaning) }
      if command.hasSuffix(" &") {
        let daemon = try start("exec \(command.dropLast(2))")
        _ = try daemon.line(within: .seconds(30)) { $0.contains("serving store") }
        daemons.append(daemon)
        return
      }
      // A change of another node comes a little later.
      let deadline = ContinuousClock.now + .seconds(30)
      while true {
        let (code, lines) = try start(command).end(within: .seconds(60))
        #expect(code == 0, "\(command): \(lines)")
        if matches(lines, step.expected) { return }
        guard step.command.hasSuffix(" list"), ContinuousClock.now < deadline else {
          Issue.record("\(command) printed \(lines), the page has \(step.expected)")
          return
        }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }

    private func start(_ command: String) throws -> Program {
      let path = folder.url.path
      return try Program(
        URL(fileURLWithPath: "/bin/bash"),
        ["-c", "cd '\(path)' && PATH='\(path)/bin':$PATH && \(command)"], name: command,
        cleanUp: cleanUp)
    }

    /// Compares lines with those of the page, where `…` is anything and `<word>` is remembered.
    private func matches(_ lines: [String], _ expected: [String]) -> Bool {
      guard lines.count >= expected.count, !expected.isEmpty || lines.isEmpty else {
        return expected.isEmpty
      }
      for (line, pattern) in zip(lines, expected) {
        var text = NSRegularExpression.escapedPattern(for: pattern).replacing("…", with: ".*")
        let placeholder = pattern.firstMatch(of: #/<(\w+)>/#).map { String($0.0) }
        if let placeholder { text = text.replacing(placeholder, with: "([^ ,]+)") }
        guard let expression = try? NSRegularExpression(pattern: "^\(text)$"),
          let found = expression.firstMatch(
            in: line, range: NSRange(line.startIndex..., in: line))
        else { return false }
        if let placeholder, let range = Range(found.range(at: 1), in: line) {
          words[placeholder] = String(line[range])
        }
      }
      return pattern(expected, covers: lines)
    }

    /// Tells whether nothing was printed beside what the page has.
    private func pattern(_ expected: [String], covers lines: [String]) -> Bool {
      lines.count == expected.count || expected.last?.hasSuffix("…") == true
    }

    private static func freePort() throws -> String {
      let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(file) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0
        }
      }
      try #require(isBound)
      return "\(UInt16(bigEndian: address.sin_port))"
    }
  }
}
