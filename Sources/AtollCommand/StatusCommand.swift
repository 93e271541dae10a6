import ArgumentParser
import AtollStorage

/// `atoll status`: what a store is, holds, and exchanges.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows what a store is, what it holds and who serves it.")

  @OptionGroup var argument: StoreArgument

  @Flag(help: "Also compute the digest of all objects; equal on replicas that hold the same.")
  var digest = false

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let report = try StatusReport(file, withDigest: digest)
    print(json ? try JSONLine.text(report) : report.lines.joined(separator: "\n"))
  }
}
