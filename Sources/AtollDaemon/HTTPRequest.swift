import AtollEventLoop
import AtollVocabulary
import Foundation

/// A request without a body, as far as this daemon answers any: a path that is to be got.
///
/// Strict: one line, headers, an empty line, all of RFC 9112's characters and line ends. What is
/// anything else is answered with a reason and the end of the connection.
struct HTTPRequest: Hashable {
  let path: String

  /// The state of the bytes so far.
  enum Reading: Hashable {
    case incomplete
    case request(HTTPRequest)
    case refused(HTTPResponse)
  }

  /// Reads a request from what has come so far.
  ///
  /// With `isLocal` only names of this machine are taken in the header Host: a page of the web can have a name
  /// of its own lead to loopback, and a browser then shows it what is answered here (DNS rebinding).
  static func read(_ bytes: [UInt8], isLocal: Bool = false) -> Reading {
    guard let end = endOfHead(bytes) else {
      return bytes.count < Limits.requestBytes
        ? .incomplete : .refused(HTTPResponse(.headTooLong, "the head of the request is too long"))
    }
    guard end <= Limits.requestBytes else {
      return .refused(HTTPResponse(.headTooLong, "the head of the request is too long"))
    }
    let head = bytes[..<end]
    guard head.allSatisfy({ (32...126).contains($0) || $0 == 13 || $0 == 10 || $0 == 9 }) else {
      return bad("the head of the request has bytes outside ASCII")
    }
    let lines = String(decoding: head, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: true)
    guard lines.allSatisfy({ !$0.contains("\n") && !$0.contains("\r") }), let first = lines.first
    else { return bad("the lines of the request do not end with CR LF") }
    return read(first, headers: lines.dropFirst(), isLocal: isLocal)
  }

  private static func read(
    _ line: Substring, headers: ArraySlice<Substring>, isLocal: Bool
  ) -> Reading {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]), words[1].hasPrefix("/")
    else { return bad("the request line is not METHOD /PATH HTTP/1.1") }
    var names: Set<String> = []
    var hosts: [String] = []
    for header in headers {
      guard let colon = header.firstIndex(of: ":"), colon > header.startIndex,
        header[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      else { return bad("a header is not NAME: VALUE") }
      let name = header[..<colon].lowercased()
      names.insert(name)
      guard name == "host" else { continue }
      hosts.append(
        header[header.index(after: colon)...].trimmingPrefix { $0 == " " || $0 == "\t" }
          .lowercased())
    }
    guard words[2] == "HTTP/1.0" || names.contains("host") else {
      return bad("the header Host is missing")
    }
    guard hosts.count <= 1 else { return bad("the header Host stands twice") }
    if isLocal, let host = hosts.first, !isOfThisMachine(host) {
      return .refused(
        HTTPResponse(
          .misdirected,
          "the header Host names another machine; ask for http://127.0.0.1 or http://localhost"))
    }
    guard words[0] == "GET" else {
      return .refused(HTTPResponse(.methodNotAllowed, "only GET is answered here"))
    }
    guard !names.contains("transfer-encoding"), !names.contains("content-length") else {
      return bad("the request has a body")
    }
    let path = words[1].prefix { $0 != "?" }
    return .request(HTTPRequest(path: String(path)))
  }

  /// Tells whether a host, perhaps with a port, is loopback for sure, whatever names lead to.
  private static func isOfThisMachine(_ host: String) -> Bool {
    var name = host[...].prefix { $0 != " " && $0 != "\t" }
    if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
      guard UInt16(name[name.index(after: colon)...]) != nil else { return false }
      name = name[..<colon]
    }
    if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
    return name == "localhost"
      || SocketAddress(host: String(name), port: 0)?.isLoopback == true
  }

  private static func bad(_ text: String) -> Reading { .refused(HTTPResponse(.badRequest, text)) }

  /// Returns the end of the head, with its empty line.
  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for place in 3..<bytes.count
    where bytes[place] == 10 && bytes[place - 1] == 13 && bytes[place - 2] == 10
      && bytes[place - 3] == 13
    {
      return place + 1
    }
    return nil
  }
}

/// An answer, after which the connection ends.
struct HTTPResponse: Hashable, Sendable {
  enum Status: Int, Sendable {
    case ok = 200
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case timeout = 408
    case misdirected = 421
    case headTooLong = 431
    case unavailable = 503

    var words: String {
      switch self {
      case .ok: "OK"
      case .badRequest: "Bad Request"
      case .notFound: "Not Found"
      case .methodNotAllowed: "Method Not Allowed"
      case .timeout: "Request Timeout"
      case .misdirected: "Misdirected Request"
      case .headTooLong: "Request Header Fields Too Large"
      case .unavailable: "Service Unavailable"
      }
    }
  }

  let status: Status
  let type: String
  let body: String

  /// A sentence for people.
  init(_ status: Status, _ sentence: String) {
    self.init(status, type: "text/plain; charset=utf-8", body: sentence + "\n")
  }

  init(_ status: Status, type: String, body: String) {
    self.status = status
    self.type = type
    self.body = body
  }

  var bytes: [UInt8] {
    let allow = status == .methodNotAllowed ? "Allow: GET\r\n" : ""
    let head = """
      HTTP/1.1 \(status.rawValue) \(status.words)\r
      Content-Type: \(type)\r
      Content-Length: \(body.utf8.count)\r
      Cache-Control: no-store\r
      \(allow)Connection: close\r
      \r

      """
    return Array((head + body).utf8)
  }
}
