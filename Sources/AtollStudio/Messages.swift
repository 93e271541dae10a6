import Foundation

/// A request, as far as the studio has to know it.
struct StudioRequest: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
  }

  /// Nil for every method that nothing here answers to.
  var method: Method?
  /// Without the query, percent-encoding removed, from `/` on.
  var path: String
  /// Names and values, percent-encoding removed; of a name that is there twice, the first counts.
  var query: [String: String]
  /// By names in lower case.
  var headers: [String: String]
  var body: Data

  init(
    method: Method?, path: String, query: [String: String] = [:], headers: [String: String] = [:],
    body: Data = Data()
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// An answer: a status, headers, and a body that is there at once or comes in pieces.
struct StudioResponse: Sendable {
  enum Body: Sendable {
    case bytes(Data)
    case stream(AsyncStream<Data>)
  }

  var status: Status
  var headers: [String: String]
  var body: Body

  /// The statuses that the studio answers with.
  enum Status: Int, Sendable {
    case ok = 200
    case seeOther = 303
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case conflict = 409
    case tooLarge = 413
    case wrongMediaType = 415
    case misdirected = 421
    case failed = 500
    case busy = 503
  }

  init(_ status: Status, _ type: String, _ body: Body) {
    self.status = status
    self.headers = ["content-type": type]
    self.body = body
  }

  /// JSON with its members in alphabetical order, those without a value left out.
  static func json(_ value: some Encodable, status: Status = .ok) throws -> StudioResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return StudioResponse(status, "application/json", .bytes(try encoder.encode(value)))
  }

  /// Has a person who opened an address read a refusal without the signs of JSON around it.
  mutating func showAsText() {
    guard status.rawValue >= 400, case .bytes(let data) = body,
      let document = try? JSONDecoder().decode(Refusal.Document.self, from: data)
    else { return }
    headers["content-type"] = "text/plain; charset=utf-8"
    body = .bytes(Data("\(document.error.message)\n".utf8))
  }

  /// A refusal in the form that every caller can read.
  static func refusal(_ status: Status, _ refusal: Refusal) -> StudioResponse {
    (try? json(Refusal.Document(error: refusal), status: status))
      ?? StudioResponse(.failed, "text/plain", .bytes(Data()))
  }
}

/// Why something was not done: what was done, found and expected, and the remedy.
struct Refusal: Error, Codable, Hashable, Sendable {
  struct Document: Codable {
    let error: Refusal
  }

  var message: String
  /// The place in the text of a predicate, in characters.
  var offset: Int?
  var length: Int?

  init(_ message: String, offset: Int? = nil, length: Int? = nil) {
    self.message = message
    self.offset = offset
    self.length = length
  }
}
