import ArgumentParser
import AtollChanges
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
      let file = try argument.read()
      defer { file.close() }
      return try compare(file, with: against)
    }
    do {
      try check()
    } catch let error as StorageError where error.isOfTheContents {
      print(error)
      throw Outcome.unsound
    }
  }

  private func check() throws {
    let file = try argument.read()
    defer { file.close() }
    let findings = try file.verify()
    guard findings.isEmpty else {
      for finding in findings { print(finding) }
      throw Outcome.unsound
    }
    let objects = try file.counts().filter { !$0.class.isEmbedded }.reduce(0) { $0 + $1.objects }
    let changesets = try file.appliedVector().entries.reduce(0) { $0 + $1.sequence.rawValue }
    print("sound: \(objects) objects, \(changesets) changesets")
  }

  private func remake() throws {
    let file = try argument.write()
    defer { file.close() }
    let count = try file.remakeSearchIndexes()
    print("made \(count) \(count == 1 ? "index" : "indexes") anew")
  }

  private func compare(_ file: StoreFile, with peer: String) throws {
    let outcome = try search(file, peer)
    for difference in outcome.differences { print(ComparisonText.line(difference)) }
    print(ComparisonText.summary(outcome))
    guard outcome.differences.isEmpty else { throw Outcome.different }
  }

  private func search(_ file: StoreFile, _ peer: String) throws -> DigestSearch.Outcome {
    if FileManager.default.fileExists(atPath: peer) {
      let other = try StoreFile.open(
        peer, options: StoreOptions(isReadOnly: true, mayCreate: false))
      defer { other.close() }
      var search = DigestSearch(file) { try other.answer($0) }
      return try search.run()
    }
    let inquiry = try ask(peer, for: file)
    defer { inquiry.close() }
    var search = DigestSearch(file) { try inquiry.ask($0) }
    return try search.run()
  }

  /// A link to a daemon; only one that stays within the machine goes without a key.
  private func ask(_ peer: String, for file: StoreFile) throws -> DigestInquiry {
    let isPlain = try Endpoint(peer).isLoopback && !tls
    let credentials = isPlain ? nil : try key.credentials(servingStoreAt: argument.store)
    let roster = Set(try file.roster().map(\.identity))
    return try DigestInquiry(peer: peer, as: credentials, tls ? .always : .automatic) {
      roster.contains($0)
    }
  }
}

extension StorageError {
  /// Tells whether the bytes of the file are wrong; not if the system, other programs or the version stood in
  /// the way of looking at them.
  fileprivate var isOfTheContents: Bool {
    switch self {
    case .noSuchFile, .wrongPath, .notWritable, .openedForReading, .olderBuild, .notYet, .diskFull,
      .locked, .newerFormat, .noModule, .inUse, .versionEnded, .tooManyVersions, .systemCall,
      .outOfMemory, .unexpected:
      false
    case .notADatabase, .notAStore, .foreignObject, .otherStore, .alreadyExchanged, .foreignLog,
      .replaced, .nothingHeld, .doubtfulClock, .clockOutOfRange, .damaged, .schemaClash,
      .duplicateKey, .noSuchClass, .noSuchObject, .noSuchProperty, .noFullTextIndex,
      .noSuchElement, .typeMismatch, .incrementOfNil, .noSuchInstance, .tooLarge, .tooComplex,
      .noSuchConflict, .noSuchTarget, .notInTransaction, .alreadyInTransaction, .alreadyThere,
      .unsound, .diskFailed, .sqlite:
      true
    }
  }
}
