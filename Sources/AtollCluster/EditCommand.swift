import ArgumentParser
import Atoll
import Foundation

/// Changes what is given of one airport, in one transaction.
struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "edit")

  @OptionGroup var target: ApplicationStore
  @Argument var icao: String
  @Option var name: String?
  @Option var website: String?
  @Option(help: "Metres.") var elevation: Double?
  @Option(help: "Degrees to the north by which the airport moves.") var north: Double?

  func run() throws {
    let store = try target.open()
    guard let airport = store.object(ofType: Airport.self, forPrimaryKey: icao) else {
      throw ValidationError("There is no airport \(icao).")
    }
    try store.write {
      if let name { airport.name = name }
      if let website { airport.website = URL(string: website) }
      if let elevation { airport.elevation = Measurement(value: elevation, unit: .meters) }
      if let north { airport.coordinate.latitude += north }
    }
    report(ShowCommand.line(airport))
  }
}
