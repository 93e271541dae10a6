import Testing

@testable import AtollStudio

/// Authorization, rule by rule; see `studio.md` under "Safe by default".
struct GateTests {
  private let gate = Gate(token: "0123456789abcdef0123456789abcdef", port: 7000)
  private let own = ["host": "127.0.0.1:7000"]

  private func request(
    _ method: StudioRequest.Method? = .get, _ path: String = "/api/v1/session",
    token: String? = "0123456789abcdef0123456789abcdef", _ headers: [String: String] = [:]
  ) -> StudioRequest {
    var request = StudioRequest(method: method, path: path, headers: own)
    if let token { request.headers["cookie"] = "other=1; atoll-studio-7000=\(token)" }
    request.headers.merge(headers) { $1 }
    return request
  }

  @Test func `a request with the token in the cookie passes`() {
    #expect(gate.answer(to: request()) == nil)
  }

  @Test func `a program gives the token as a bearer`() {
    let given = ["authorization": "Bearer 0123456789abcdef0123456789abcdef"]
    #expect(gate.answer(to: request(token: nil, given)) == nil)
    let other = ["authorization": "Bearer 0123456789abcdef0123456789abcdee"]
    #expect(gate.answer(to: request(token: nil, other))?.status == .unauthorized)
  }

  @Test(arguments: [
    "", "0", "0123456789abcdef0123456789abcdee", "0123456789abcdef0123456789abcdef0",
  ])
  func `a wrong token gets nothing`(token: String) {
    #expect(gate.answer(to: request(token: token))?.status == .unauthorized)
    #expect(gate.answer(to: request(.post, token: token))?.status == .unauthorized)
  }

  @Test func `no token gets nothing, not even the site`() {
    #expect(gate.answer(to: request(.get, "/", token: nil))?.status == .unauthorized)
    #expect(gate.answer(to: request(.get, "/main.js", token: nil))?.status == .unauthorized)
  }

  @Test(arguments: ["evil.example", "evil.example:7000", "127.0.0.1:7001", "127.0.0.1", ""])
  func `a foreign Host gets nothing, whatever it has`(host: String) {
    #expect(gate.answer(to: request(.get, ["host": host]))?.status == .misdirected)
    var arrival = StudioRequest(method: .get, path: "/", headers: ["host": host])
    arrival.query["token"] = gate.token
    #expect(gate.answer(to: arrival)?.status == .misdirected)
  }

  @Test(arguments: [
    "http://evil.example", "https://127.0.0.1:7000", "http://localhost:7000", "null",
  ])
  func `a foreign Origin gets nothing, whatever it has`(origin: String) {
    let json = ["content-type": "application/json", "origin": origin]
    #expect(gate.answer(to: request(.post, json))?.status == .forbidden)
    #expect(gate.answer(to: request(.get, ["origin": origin]))?.status == .forbidden)
  }

  @Test func `a page of another site gets nothing, also without an Origin`() {
    for site in ["cross-site", "same-site"] {
      #expect(gate.answer(to: request(.get, ["sec-fetch-site": site]))?.status == .forbidden)
    }
    #expect(gate.answer(to: request(.get, ["sec-fetch-site": "same-origin"])) == nil)
    #expect(gate.answer(to: request(.get, ["sec-fetch-site": "none"])) == nil)
  }

  @Test(arguments: [
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "",
  ])
  func `a form of another site changes nothing`(type: String) {
    #expect(gate.answer(to: request(.post, ["content-type": type]))?.status == .wrongMediaType)
  }

  @Test func `a change of a page of this server passes`() {
    let headers = [
      "content-type": "application/json", "origin": "http://127.0.0.1:7000",
      "sec-fetch-site": "same-origin",
    ]
    #expect(gate.answer(to: request(.post, headers)) == nil)
  }

  @Test func `the address of the command puts the token into a cookie and out of sight`() throws {
    var arrival = StudioRequest(method: .get, path: "/", headers: own)
    arrival.headers["sec-fetch-site"] = "cross-site"
    arrival.query["token"] = gate.token
    let answer = try #require(gate.answer(to: arrival))
    #expect(answer.status == .seeOther)
    #expect(answer.headers["location"] == "/")
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.contains("SameSite=Strict") && cookie.contains("HttpOnly"))
    arrival.query["token"] = "guess"
    #expect(gate.answer(to: arrival)?.status == .unauthorized)
  }

  @Test func `every method but three is refused`() {
    #expect(gate.answer(to: request(nil))?.status == .methodNotAllowed)
    #expect(gate.answer(to: request(.head)) == nil)
  }

  @Test func `no two tokens are alike`() {
    let tokens = Set((0..<100).map { _ in Gate.newToken() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.count == 32 })
  }
}

extension GateTests {
  private func request(
    _ method: StudioRequest.Method?, _ headers: [String: String]
  ) -> StudioRequest {
    request(method, "/api/v1/session", token: "0123456789abcdef0123456789abcdef", headers)
  }
}
