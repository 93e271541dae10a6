import ArgumentParser
import AtollInspect
import AtollNode
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation

/// `atoll verify`: whether a store is what its log says, or what another replica holds.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Checks a store's file, its log and its objects.",
    discussion: """
      Prints a sentence for everything that is wrong, and then ends with exit code 2, also where the file \
      is so damaged that it cannot be opened. Exit code 1 says that nothing could be checked: there is no \
      such file, it may not be read, or it was made by a later version. With --against, \
      compares with another replica instead: prints the objects that differ, and then ends with exit \
      code 1. A daemon on another machine is asked over an encrypted link, as the node that serves this \
      store: each has to have the other in its roster.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(
    help: ArgumentHelp(
      "Compare with another replica: the address of a daemon, or a store file.",
      valueName: "host:port or file"))
  var against: String?

  @Flag(help: "Encrypt the link to a daemon on this machine too, as one with --tls wants it.")
  var tls = false

  @OptionGroup var key: IdentityArgument

  @Flag(help: "First make full-text and spatial indexes anew from the objects.")
  var remakeIndexes = false

  func run() throws {
    if remakeIndexes { try remake() }
    if let against {
      let store = try argument.inspect()
      defer { store.close() }
      return try compare(store, with: against)
    }
    let report = try Inspection.verification(ofStoreAt: argument.store)
    guard report.findings.isEmpty else {
      for finding in report.findings { print(finding) }
      throw Outcome.unsound
    }
    print("sound: \(report.objects ?? 0) objects, \(report.changesets ?? 0) changesets")
  }

  private func remake() throws {
    let file = try argument.write()
    defer { file.close() }
    let count = try file.remakeSearchIndexes()
    print("made \(count) \(count == 1 ? "index" : "indexes") anew")
  }

  private func compare(_ store: Inspection, with peer: String) throws {
    let report = try comparison(of: store, with: peer)
    for difference in report.differences { print(ComparisonText.line(difference)) }
    print(ComparisonText.summary(report))
    guard report.differences.isEmpty else { throw Outcome.different }
  }

  private func comparison(
    of store: Inspection, with peer: String
  ) throws -> ComparisonReport {
    if FileManager.default.fileExists(atPath: peer) {
      let other = try Inspection(path: peer)
      defer { other.close() }
      return try store.compare(with: other)
    }
    let inquiry = try ask(peer, for: store)
    defer { inquiry.close() }
    return try store.compare(asking: inquiry.ask)
  }

  /// A link to a daemon; only one that stays within the machine goes without a key.
  private func ask(_ peer: String, for store: Inspection) throws -> DigestInquiry {
    let isPlain = try Endpoint(peer).isLoopback && !tls
    let credentials = isPlain ? nil : try key.credentials(servingStoreAt: argument.store)
    let roster = Set(try store.roster().nodes.map(\.identity))
    return try DigestInquiry(peer: peer, as: credentials, tls ? .always : .automatic) {
      roster.contains("\($0)")
    }
  }
}
