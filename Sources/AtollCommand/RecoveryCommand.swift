import ArgumentParser
import AtollEdit
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll recovery`: an owner on paper.
struct RecoveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Makes and uses a code for when the files of all owners are lost.",
    discussion: """
      A store with owners needs one of them to admit and to remove others. An owner's key is in its file. \
      `atoll recovery new` makes one more owner, which exists on paper alone: a code, which is shown once. \
      The code makes any replica of the store an owner (`atoll recovery use`).
      """,
    subcommands: [New.self, Use.self])

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a code, to be written on paper. On a store file of an owner.")

    @OptionGroup var argument: StoreArgument

    func run() throws {
      let editor = try argument.edit()
      defer { editor.close() }
      let (code, owner) = try editor.makeRecoveryCode()
      print("code     \(code)")
      print("owner    \(owner)")
      print(
        "Write the code on paper and keep that safe: it is shown once, and makes whoever has it an owner."
      )
    }
  }

  struct Use: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes this replica an owner, by a code that is read from standard input.",
      discussion: """
        On a store file of any replica that has not been removed, also of one that is not admitted. The file \
        has to have heard of the code: let a new one get what peers have, first.
        """)

    @OptionGroup var argument: StoreArgument

    func run() throws {
      let editor = try argument.edit()
      defer { editor.close() }
      if isatty(STDIN_FILENO) == 1 { FileHandle.standardError.write(Data("Code: ".utf8)) }
      guard let line = readLine(), let code = RecoveryCode(line) else {
        throw CommandError.notARecoveryCode
      }
      let isNew = try editor.recover(with: code)
      print("member   owner\(isNew ? "" : ", as before")")
    }
  }
}
