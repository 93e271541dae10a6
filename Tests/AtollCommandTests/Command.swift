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
}
