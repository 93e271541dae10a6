import Foundation
import TestKit
import Testing

/// The tests of this target once more, in a process of its own, with every property of their model
/// classes declared with an initial value; see ``Declared``.
@Suite struct InitialValueMatrixTests {
  @Test(.enabled(if: !Declared.hasInitialValues), .timeLimit(.minutes(30)))
  func `issue 28.1: whatever holds of properties holds of those with an initial value`() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let output = folder.file("output")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = Self.arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging([Declared.variable: "1"]) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    let said = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    let lines = said.split(separator: "\n")
    let failures = lines.filter { $0.contains("recorded an issue") }.prefix(20)
    #expect(
      process.terminationStatus == 0,
      "\(failures.joined(separator: "\n"))\n\(lines.suffix(3).joined(separator: "\n"))")
    let summary = lines.last { $0.contains("Test run with") } ?? ""
    let count = summary.split(separator: " ").compactMap { Int($0) }.first ?? 0
    #expect(count > 400, "\(summary)")
  }

  /// Those of this process, with the whole target in place of what was asked for.
  private static var arguments: [String] {
    var arguments: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--filter", "--skip": rest = rest.dropFirst()
      default: arguments.append(argument)
      }
    }
    return arguments + ["--filter", "AtollTests\\."]
  }
}
