import ArgumentParser
import Atoll
import Foundation

/// `atoll-cluster application`: the applications of the demonstration, processes of their own.
///
/// They use the client library and nothing else of Atoll.
struct ApplicationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "application", abstract: "What the demonstration starts beside the daemons.",
    shouldDisplay: false,
    subcommands: [
      ImportCommand.self, WatchCommand.self, EditCommand.self, ShowCommand.self, WorkCommand.self,
    ])
}

/// The store file of an application.
struct ApplicationStore: ParsableArguments {
  @Argument var path: String

  func open() throws -> Store {
    try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: path),
        objectTypes: [Airport.self, Country.self, Location.self]))
  }
}

/// Prints a line that a reader at the other end of the pipe sees at once.
func report(_ line: String) {
  print(line)
  fflush(nil)
}
