import ArgumentParser
import AtollTransport
import Foundation

/// `atoll-cluster conform`: looks whether an implementation of the protocol does what it has to.
struct ConformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform",
    abstract: "Checks a peer in any language against `protocol/profiles.md`.",
    discussion: """
      The peer listens on this machine, without TLS, for a store of its own without owners: what is sent stays \
      in it. Each check says the number of its rule. Exit code 0 if the peer passed all of them, 1 otherwise.
      """)

  @Option(help: ArgumentHelp("Where the peer listens.", valueName: "host:port"))
  var peer: String

  @Option(help: "How many random programs, one after the other.")
  var programs = 10

  @Option(help: "The seed of the first program; drawn if none is given.")
  var seed: UInt64?

  func validate() throws {
    if programs < 0 { throw ValidationError("--programs must be at least 0.") }
  }

  func run() throws {
    let conformance = try Conformance(of: Endpoint(peer))
    report("the peer at \(peer) has replica \(conformance.author) of store \(conformance.storeID)")
    let first = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
    let checks =
      ConformanceCheck.all
      + (0..<programs).map { ProgramCheck.check(seed: first &+ UInt64($0)) }
    var failed = 0
    for check in checks {
      let found = check.found(at: conformance)
      report("\(found == nil ? "ok  " : "FAIL") rule \(check.rule): \(check.name)")
      guard let found else { continue }
      report("     \(found)")
      failed += 1
    }
    report("\(checks.count - failed) of \(checks.count) checks passed")
    if failed > 0 { throw ExitCode(1) }
  }
}
