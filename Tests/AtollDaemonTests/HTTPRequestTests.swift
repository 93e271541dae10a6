import AtollVocabulary
import Testing

@testable import AtollDaemon

@Suite struct HTTPRequestTests {
  private static let whole = "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n"

  private func read(_ text: String) -> HTTPRequest.Reading { HTTPRequest.read(Array(text.utf8)) }

  private func status(_ text: String) -> HTTPResponse.Status? {
    if case .refused(let response) = read(text) { response.status } else { nil }
  }

  @Test func `a request is its path, without what is asked behind it`() {
    #expect(read(Self.whole) == .request(HTTPRequest(path: "/metrics")))
    #expect(read("GET / HTTP/1.0\r\n\r\n") == .request(HTTPRequest(path: "/")))
  }

  @Test func `each beginning of a request is waited on`() {
    for end in Self.whole.utf8.indices.dropFirst() {
      #expect(read(String(Self.whole[..<end])) == .incomplete)
    }
  }

  @Test(arguments: [
    "GET /\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/2\r\nHost: a\r\n\r\n",
    "GET x HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n x\r\n\r\n",
    "GET / HTTP/1.1\nHost: a\n\r\n\r\n", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])
  func `what is not exactly a request without a body is bad`(text: String) {
    #expect(status(text) == .badRequest)
  }

  @Test(arguments: ["POST", "HEAD", "get", "DELETE"])
  func `other methods than GET are not allowed`(method: String) {
    #expect(status("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n") == .methodNotAllowed)
  }

  @Test func `a head without end is refused at its bound`() {
    let text = "GET / HTTP/1.1\r\nHost: " + String(repeating: "a", count: Limits.requestBytes)
    #expect(status(text) == .headTooLong)
    #expect(status(text + "\r\n\r\n") == .headTooLong)
  }

  @Test func `every flipped bit of a request is answered or waited on, and never a trap`() {
    let bytes = Array(Self.whole.utf8)
    for place in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << bit
        if case .request(let request) = HTTPRequest.read(flipped) {
          #expect(request.path.hasPrefix("/"))
        }
      }
    }
  }
}
