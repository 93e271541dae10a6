import Foundation

@testable import AtollCluster

/// One run of `atoll`.
enum Command {
  struct Ending {
    let code: Int32
    /// Standard output and standard error.
    let lines: [String]
    var text: String { lines.joined(separator: "\n") }
  }

  static func run(_ arguments: [String]) throws -> Ending {
    let program = try Program(
      Program.sibling("atoll"), arguments, name: "atoll", cleanUp: CleanUp())
    let (code, lines) = try program.end(within: .seconds(60))
    return Ending(code: code, lines: lines)
  }

  /// Runs a command that reads this from its standard input.
  static func run(_ arguments: [String], input: String) throws -> Ending {
    let program = try Program(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "printf %s \"$0\" | \"$@\"", input, Program.sibling("atoll").path] + arguments,
      name: "atoll", cleanUp: CleanUp())
    let (code, lines) = try program.end(within: .seconds(60))
    return Ending(code: code, lines: lines)
  }
}
