import AtollVocabulary
import Foundation

/// Authorization: requests need the token, from a page of this server and no other.
///
/// A page of another site can make the browser send requests here. It cannot read the token, its requests carry
/// its own `Origin`, and after it had its name resolve to this machine they carry its own `Host`.
struct Gate: Sendable {
  /// 128 random bits as hexadecimal digits.
  let token: String
  /// The values of `Host` that are this server's: address and port, and `localhost` with the port.
  let hosts: Set<String>

  /// With the port: browsers send a cookie to every port of a machine.
  private let cookie: String

  init(token: String, port: Int) {
    self.token = token
    cookie = "atoll-studio-\(port)"
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
  }

  /// Random enough that nobody guesses it.
  static func newToken() -> String {
    var system = SystemRandomNumberGenerator()
    return Hexadecimal.text(system.next()) + Hexadecimal.text(system.next())
  }

  /// Returns an immediate answer: a refusal, or the way into the session; nil lets the request
  /// pass.
  func answer(to request: StudioRequest) -> StudioResponse? {
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .refusal(
        .misdirected, Refusal("This server answers under the address that `atoll studio` printed."))
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      return .refusal(.forbidden, Refusal("A page of another site asked; nothing was done."))
    }
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site),
      !isArrival(request)
    {
      return .refusal(.forbidden, Refusal("A page of another site asked; nothing was done."))
    }
    guard let method = request.method else {
      return .refusal(.methodNotAllowed, Refusal("Only GET, HEAD and POST are answered."))
    }
    if isArrival(request) { return arrival(request) }
    guard isKnown(request) else {
      return .refusal(
        .unauthorized,
        Refusal(
          "Open the address that `atoll studio` printed; it carries the token of the session."))
    }
    if method == .post {
      guard request.headers["content-type"]?.prefix(16) == "application/json" else {
        return .refusal(
          .wrongMediaType, Refusal("A change is sent as application/json; nothing was done."))
      }
    }
    return nil
  }

  /// The address that the command prints: the token goes into a cookie and out of the address.
  private func isArrival(_ request: StudioRequest) -> Bool {
    request.method == .get && request.path == "/" && request.query["token"] != nil
  }

  private func arrival(_ request: StudioRequest) -> StudioResponse {
    guard let given = request.query["token"], isToken(given) else {
      return .refusal(
        .unauthorized,
        Refusal("The token is of another session; open the address that `atoll studio` printed."))
    }
    var response = StudioResponse(.seeOther, "text/plain", .bytes(.init()))
    response.headers["location"] = "/"
    response.headers["set-cookie"] =
      "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
    return response
  }

  private func isKnown(_ request: StudioRequest) -> Bool {
    if let bearer = request.headers["authorization"], bearer.hasPrefix("Bearer ") {
      return isToken(String(bearer.dropFirst(7)))
    }
    let cookies = (request.headers["cookie"] ?? "").split(separator: ";")
    return cookies.contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0].drop { $0 == " " } == cookie
        && isToken(String(parts[1]))
    }
  }

  /// Compares in a time that does not tell how much of a guess was right.
  private func isToken(_ text: String) -> Bool {
    let (given, wanted) = (Array(text.utf8), Array(token.utf8))
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Headers of every answer.
  static let headers = [
    "content-security-policy": """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
    """,
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "cache-control": "no-store",
  ]
}
