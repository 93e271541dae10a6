// The command line over a store file: makes one, looks into one, checks one, copies one.
//
// Every command opens the file itself, as the daemon and applications do, and works whether or not
// they run. What only looks, opens the file for reading, through AtollInspect. Nothing here decides
// anything about the data: a command parses its arguments, has AtollInspect make the values to show or
// AtollStorage make a change, and prints. Text is for people and may change; `--json` and `export` are
// for programs and do not.
//
// The life of one command: ArgumentParser reads the words → the store is opened → the answer goes to
// standard output, line by line → exit code. An error goes to standard error in one piece: what was
// being done, what was found, what to do.

import ArgumentParser
import AtollVocabulary
import Foundation

@main
struct AtollCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll",
    abstract: "Makes, shows, checks and copies Atoll stores.",
    discussion: """
      Works on a store file, whether or not a daemon or an application has it open.

      Exit codes: 0 done; 1 the store or the file system refused, with the reason, or \
      `verify --against` found differences; 2 `verify` found something wrong, or cannot read the file for damage; \
      3 and 4 `status` found the store degraded or failing; 64 the arguments make no \
      sense; 65 the file of `import` has errors.
      """,
    version: Release.version,
    subcommands: [
      InitCommand.self, JoinCommand.self, StatusCommand.self, ObjectsCommand.self,
      ExportCommand.self, LogCommand.self, VerifyCommand.self, BackupCommand.self,
      CloneCommand.self, RestoreCommand.self, WhyCommand.self, ConflictsCommand.self,
      ClockCommand.self, NameCommand.self, IdentityCommand.self, PeersCommand.self,
      PeerCommand.self, PairCommand.self, MembersCommand.self, AdmitCommand.self,
      RemoveCommand.self, RecoveryCommand.self,
      ImportCommand.self, SchemaCommand.self,
      GarbageCommand.self, CompactCommand.self, BenchCommand.self, PauseCommand.self,
      ResumeCommand.self, StudioCommand.self,
    ])
}

extension AtollCommand {
  /// Runs a command; what an error quotes of peers and files is shown with escapes.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let code = exitCode(for: error)
      let text = fullMessage(for: error)
      guard code != .success, !text.isEmpty else { exit(withError: error) }
      FileHandle.standardError.write(Data((text.shownOnLines + "\n").utf8))
      exit(withError: code)
    }
  }
}

/// The exit codes of a command, beyond ArgumentParser's own.
enum Outcome {
  /// `import` found something wrong with the file; EX_DATAERR of sysexits.
  static let badInput = ExitCode(65)
  /// `verify` found something wrong.
  static let unsound = ExitCode(2)
  /// `verify --against` found differences.
  static let different = ExitCode(1)
  /// `status` found that a person should look at something, or that work is not done.
  static let degraded = ExitCode(3)
  static let failing = ExitCode(4)
}
