import ArgumentParser
import Atoll
import Foundation
import Hummingbird
import InspectionModel
import ServiceLifecycle

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the inspections in the browser, and exchanges them with others.",
    discussion: """
      Answers on this machine only. Ends when it is interrupted or asked to end.
      """)
  @OptionGroup var file: BookFile
  @Option(help: "The port of the pages; 0 takes a free one.") var port = 8080
  @Option(help: "Where others connect, as HOST:PORT.") var listen: String?
  @Option(help: "Another inspector, as HOST:PORT. Repeatable.") var peer: [String] = []
  @Option(help: "What all inspectors share: a UUID.") var storeID: UUID?

  func run() async throws {
    let book = InspectionBook(
      file: URL(fileURLWithPath: file.file), storeID: storeID,
      node: .embedded(peers: peer, listen: listen))
    // The node starts when the store is opened, and says a moment later where it listens.
    for try await status in try await book.sync().statuses
    where status.isServed && (listen == nil || status.listening != nil) {
      if let listening = status.listening { say("exchanging at \(listening)") }
      break
    }
    let application = Application(
      router: Site(book).router,
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        say("pages at http://127.0.0.1:\(channel.localAddress?.port ?? port)/")
      })
    var services = ServiceGroupConfiguration(
      services: [BookService(book: book), application],
      gracefulShutdownSignals: [.sigint, .sigterm], logger: application.logger)
    // A browser keeps its connection as long as it likes.
    services.maximumGracefulShutdownDuration = .seconds(2)
    try await ServiceGroup(configuration: services).run()
  }
}

/// Closes the store once the pages, which are shut down first, have answered.
struct BookService: Service {
  let book: InspectionBook

  func run() async throws {
    try? await gracefulShutdown()
    await book.close()
  }
}

extension UUID: @retroactive ExpressibleByArgument {
  public init?(argument: String) { self.init(uuidString: argument) }
}

/// Prints a line at once, also where output is not a terminal.
@Sendable func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
