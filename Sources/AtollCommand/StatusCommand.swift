import ArgumentParser
import AtollInspect
import AtollPresence
import AtollVocabulary
import Foundation

/// `atoll status`: what a store is, holds, and exchanges.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows what a store is, what it holds and who serves it.",
    discussion: """
      Read from the store and the files beside it, so that it works with the daemon down, and says when \
      the daemon is broken: killed, stopped, or blocked. On a terminal, what a person should look at is \
      coloured (not if NO_COLOR is set).

      Exit codes: 0 all is well; 3 degraded, a person should look at something; 4 failing, something \
      that the store or its node is there for is not done. The conditions stand last, each with its \
      name, what was found, and the remedy.
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "Also compute the digest of all objects; equal on replicas that hold the same.")
  var digest = false

  @Flag(help: "One JSON object instead of text.")
  var json = false

  @Flag(help: "Show it again every second, until interrupted.")
  var watch = false

  func run() throws {
    let store = try argument.inspect()
    defer { store.close() }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    while true {
      let (text, severity) = try text(of: store, isColoured: isTerminal && !json)
      // The screen is put together before it is shown, so that it does not flicker.
      let clear = watch && isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
      try FileHandle.standardOutput.write(contentsOf: Data("\(clear)\(text)\n".utf8))
      guard watch else { return try end(severity) }
      Thread.sleep(forTimeInterval: 1)
    }
  }

  private func end(_ severity: HealthCondition.Severity?) throws {
    switch severity {
    case nil: break
    case .degraded: throw Outcome.degraded
    case .failing: throw Outcome.failing
    }
  }

  private func text(
    of store: Inspection, isColoured: Bool
  ) throws -> (String, HealthCondition.Severity?) {
    let service = store.service
    let report = try store.status(service, withDigest: digest)
    guard !json else { return (try JSONLine.text(report), report.severity) }
    let isWanted = ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    let lines = StatusText(report: report, service: service).lines.map(\.shownOnOneLine).map {
      isColoured && isWanted ? StatusColour.painted($0) : $0
    }
    return (lines.joined(separator: "\n"), report.severity)
  }
}

/// The colour of a status line on a terminal.
enum StatusColour: String {
  case red = "31"
  case yellow = "33"
  case green = "32"

  /// The line, coloured if it tells of something good or bad.
  static func painted(_ line: String) -> String {
    guard let colour = colour(of: line) else { return line }
    return "\u{1B}[\(colour.rawValue)m\(line)\u{1B}[0m"
  }

  static func colour(of line: String) -> StatusColour? {
    let word = line.prefix { $0 != " " }
    switch word {
    case "BROKEN", "MODIFIED", "DISK", "FAILING": return .red
    case "DEGRADED", "warning", "clash", "forked", "waiting", "PAUSED", "PENDING": return .yellow
    case "served": return line.hasSuffix("by nobody") ? .yellow : .green
    case "peer":
      if line.contains("DIVERGED") { return .red }
      let warnings = [" not connected", "CLOCK", "TAKES NOTHING"]
      return warnings.contains(where: line.contains) ? .yellow : .green
    case _: return nil
    }
  }
}
