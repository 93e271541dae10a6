import AtollInspect
import AtollVocabulary
import Foundation

/// A studio that runs: its stores, its gate, and the address under which it answers.
package final class Studio: Sendable {
  /// The address, the stores, and the permissions.
  package struct Options: Sendable {
    package var stores: [String]
    /// 0 takes a free one.
    package var port: Int
    package var isReadOnly: Bool
    /// A folder that the site is read from, to work on it; nil takes the one in the binary.
    package var siteFolder: String?
    /// The token of the session; nil makes a new one.
    package var token: String?

    package init(stores: [String], port: Int = 0, isReadOnly: Bool = false) {
      self.stores = stores
      self.port = port
      self.isReadOnly = isReadOnly
    }
  }

  private let listener: Listener
  private let stores: [StudioStore]
  /// The token of the session, which programs send as `Authorization: Bearer`.
  package let token: String
  package let port: Int

  /// A token that nobody guesses.
  package static func newToken() -> String { Gate.newToken() }

  /// The address to open in a browser, which gives access to the session.
  package var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }

  /// Opens the stores and listens on loopback.
  ///
  /// - Parameter options: At least one store that is there.
  /// - Throws: `StorageError` for a store that cannot be read, ``StudioError`` for a port that is taken.
  package init(_ options: Options) async throws {
    stores = options.stores.enumerated().map { StudioStore(number: $0, path: $1) }
    // A store that cannot be read is said now, and not on a page.
    for store in stores { _ = try await store.ask { try $0.schema() } }
    let token = options.token ?? Gate.newToken()
    self.token = token
    let routes = Routes(
      stores: stores, isReadOnly: options.isReadOnly, siteFolder: options.siteFolder)
    listener = try await Listener(port: options.port) { port in
      let gate = Gate(token: token, port: port)
      return { request in
        var response = gate.answer(to: request)
        if response == nil { response = await routes.answer(to: request) }
        guard var response else { return .refusal(.failed, Refusal("No answer.")) }
        if request.headers["accept"]?.contains("text/html") == true { response.showAsText() }
        response.headers.merge(Gate.headers) { own, _ in own }
        return response
      }
    }
    port = listener.port
  }

  /// Waits until it is stopped.
  package func run() async throws { try await listener.run() }

  /// Ends the streams, lets go of the stores and stops listening.
  package func stop() async {
    await listener.stop()
    for store in stores { await store.close() }
  }
}
