import ArgumentParser
import AtollStorage
import AtollVocabulary

/// `atoll verify`: whether a store is what its log says.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Checks a store's file, its log and its objects.",
    discussion: "Prints a sentence for everything that is wrong, and then ends with exit code 2.")

  @OptionGroup var argument: StoreArgument

  func run() throws {
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
}
