import ArgumentParser
import Atoll
import Foundation

/// Prints one airport.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show")

  @OptionGroup var target: ApplicationStore
  @Argument var icao: String

  func run() throws {
    let store = try target.open()
    guard let airport = store.object(ofType: Airport.self, forPrimaryKey: icao) else {
      throw ValidationError("There is no airport \(icao).")
    }
    report(ShowCommand.line(airport))
  }

  /// The properties that the demonstration edits.
  static func line(_ airport: Airport) -> String {
    [
      "name \"\(airport.name)\"",
      "website \(airport.website?.absoluteString ?? "none")",
      "elevation \(airport.elevation.value) m",
      "latitude \(airport.coordinate.latitude)",
      "longitude \(airport.coordinate.longitude)",
    ].joined(separator: ", ")
  }
}
