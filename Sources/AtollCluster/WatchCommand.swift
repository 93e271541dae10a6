import ArgumentParser
import Atoll
import Foundation

/// Observes the airports, and says each time how many there are, until there are enough.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "watch")

  @OptionGroup var target: ApplicationStore
  @Option(help: "Ends when there are this many airports.") var until: Int

  @MainActor
  func run() async throws {
    let store = try target.open()
    let airports = store.objects(Airport.self)
    for try await change in airports.changes {
      if case .error(let error) = change { throw error }
      report("sees \(airports.count)")
      if airports.count >= until { return }
    }
  }
}
