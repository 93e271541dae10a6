import AtollVocabulary
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// The one place that names the library for HTTP: reads requests and writes answers.
///
/// Listens on loopback only.
final class Listener: Sendable {
  typealias Handler = @Sendable (StudioRequest) async -> StudioResponse

  private let server: HTTPServer
  private let task: Task<Void, any Error>
  private let isStopped = Atomic(false)
  let port: Int

  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - makeHandler: Makes the handler when the port is known.
  /// - Throws: ``StudioError`` if it cannot listen.
  init(port: Int, makeHandler: (_ port: Int) -> Handler) async throws {
    let handler = Late()
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try Self.address(port), timeout: Self.longestAnswer,
        sharedRequestReplaySize: Limits.studioBodyBytes, logger: .disabled),
      handler: ClosureHTTPHandler { request in
        await Self.answer(to: request, handler.handler)
      })
    self.server = server
    task = Task { try await server.run() }
    do {
      try await server.waitUntilListening()
    } catch {
      let reason = await task.result
      guard case .failure(let cause) = reason else { throw error }
      throw Self.error(cause, port)
    }
    self.port = Self.port(of: await server.listeningAddress) ?? port
    handler.handler = makeHandler(self.port)
  }

  /// Long enough to verify a large store.
  private static let longestAnswer: TimeInterval = 3600

  /// Waits until it is stopped.
  func run() async throws {
    do {
      try await task.value
    } catch {
      guard isStopped.load(ordering: .relaxed) else { throw error }
    }
  }

  func stop() async {
    isStopped.store(true, ordering: .relaxed)
    await server.stop(timeout: 1)
    task.cancel()
  }
}

// MARK: - Requests and answers

extension Listener {
  /// The handler, which needs the port and so is made after the server.
  private final class Late: Sendable {
    private let slot = Mutex<Handler?>(nil)
    var handler: Handler? {
      get { slot.withLock { $0 } }
      set { slot.withLock { $0 = newValue } }
    }
  }

  private static func answer(to request: HTTPRequest, _ handler: Handler?) async -> HTTPResponse {
    guard let handler else { return HTTPResponse(statusCode: .serviceUnavailable) }
    let given: StudioRequest
    do {
      given = try await Self.request(request)
    } catch {
      return Self.response(.refusal(.tooLarge, error), isHead: false, mayGoOn: false)
    }
    return Self.response(
      await handler(given), isHead: request.method == .HEAD, mayGoOn: true)
  }

  private static func request(_ request: HTTPRequest) async throws(Refusal) -> StudioRequest {
    var given = StudioRequest(
      method: StudioRequest.Method(rawValue: request.method.rawValue),
      path: request.path.removingPercentEncoding ?? request.path)
    for item in request.query where given.query[item.name] == nil {
      // A form writes spaces as plus signs; a plus sign itself comes encoded.
      given.query[item.name] = item.value
    }
    for (name, value) in request.headers { given.headers[name.rawValue.lowercased()] = value }
    let count = request.bodySequence.count ?? .max
    guard count > 0 else { return given }
    guard count <= Limits.studioBodyBytes, let body = try? await request.bodyData else {
      throw Refusal(
        "The body has more than \(Limits.studioBodyBytes) bytes, or no length; send it in parts.")
    }
    given.body = body
    return given
  }

  private static func response(
    _ response: StudioResponse, isHead: Bool, mayGoOn: Bool
  ) -> HTTPResponse {
    var headers = HTTPHeaders()
    for (name, value) in response.headers { headers[HTTPHeader(name)] = value }
    if !mayGoOn { headers[.connection] = "close" }
    let status = HTTPStatusCode(response.status.rawValue, phrase: "\(response.status)")
    switch response.body {
    case .bytes(let data):
      return HTTPResponse(statusCode: status, headers: headers, body: isHead ? Data() : data)
    case .stream(let stream):
      guard !isHead else { return HTTPResponse(statusCode: status, headers: headers) }
      return HTTPResponse(
        statusCode: status, headers: headers, body: HTTPBodySequence(from: Pieces(stream: stream)))
    }
  }

  /// A stream of data as the library takes it.
  private struct Pieces: AsyncBufferedSequence {
    typealias Element = UInt8

    let stream: AsyncStream<Data>

    func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
      var base: AsyncStream<Data>.Iterator
      private var rest = Data()

      init(base: AsyncStream<Data>.Iterator) { self.base = base }

      mutating func nextBuffer(suggested count: Int) async throws -> Data? {
        await base.next()
      }

      mutating func next() async throws -> UInt8? {
        while rest.isEmpty {
          guard let piece = await base.next() else { return nil }
          rest = piece
        }
        return rest.popFirst()
      }
    }
  }

  // MARK: Addresses

  private static func address(_ port: Int) throws -> some SocketAddress {
    guard let port = UInt16(exactly: port) else {
      throw StudioError.cannotListen(port, "a port is a number from 0 to 65535")
    }
    return try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
  }

  private static func port(of address: Socket.Address?) -> Int? {
    if case .ip4(_, let port)? = address { Int(port) } else { nil }
  }

  private static func error(_ cause: any Error, _ port: Int) -> StudioError {
    if case .failed(_, EADDRINUSE, _)? = cause as? SocketError { return .portTaken(port) }
    return .cannotListen(port, cause.localizedDescription)
  }
}
