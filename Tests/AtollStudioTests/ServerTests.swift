import AtollStorage
import Foundation
import FoundationNetworking
import TestKit
import Testing

@testable import AtollStudio

/// A studio that runs, asked over its socket.
struct ServerTests {
  private let store: StudioStores

  init() throws { store = try StudioStores() }

  /// Lends a studio that runs, and stops it.
  private func studio(_ body: (Studio) async throws -> Void) async throws {
    let studio = try await Studio(Studio.Options(stores: [store.path]))
    do {
      try await body(studio)
    } catch {
      await studio.stop()
      throw error
    }
    await studio.stop()
    // It has ended, and not for an error.
    try await studio.run()
  }

  private func get(
    _ studio: Studio, _ path: String, _ headers: [String: String] = [:]
  ) async throws -> (status: Int, body: String, headers: [AnyHashable: Any]) {
    let address = try #require(URL(string: "http://127.0.0.1:\(studio.port)\(path)"))
    var request = URLRequest(url: address, timeoutInterval: 20)
    request.setValue("Bearer \(studio.token)", forHTTPHeaderField: "Authorization")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, String(decoding: data, as: UTF8.self), http.allHeaderFields)
  }

  @Test func `a query with every character arrives as it was sent`() async throws {
    try store.rename("LSZH", "Zürich +&=? 100%")
    try await studio { studio in
      let path =
        "/api/v1/stores/0/count?class=Airport"
        + "&where=name%20%3D%3D%20%22Z%C3%BCrich%20%2B%26%3D%3F%20100%25%22"
      let answer = try await get(studio, path)
      #expect(answer.status == 200)
      #expect(answer.body.hasPrefix("{\"count\":1,"))
    }
  }

  @Test func `every answer has the headers that keep a browser safe`() async throws {
    try await studio { studio in
      for path in ["/", "/api/v1/session", "/nothing"] {
        let answer = try await get(studio, path)
        let headers = Dictionary(
          answer.headers.map { ("\($0)".lowercased(), "\($1)") }, uniquingKeysWith: { $1 })
        #expect(headers["content-security-policy"]?.contains("default-src 'none'") == true)
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["cache-control"] == "no-store")
      }
    }
  }

  @Test func `a person who opens an address without the token reads a sentence`() async throws {
    try await studio { studio in
      let answer = try await get(studio, "/", ["Authorization": "", "Accept": "text/html,*/*"])
      #expect(answer.status == 401)
      #expect(answer.body.hasPrefix("Open the address that `atoll studio` printed"))
    }
  }

  @Test func `without the token the socket says nothing of the store`() async throws {
    try await studio { studio in
      let answer = try await get(studio, "/api/v1/session", ["Authorization": ""])
      #expect(answer.status == 401)
      #expect(!answer.body.contains("airports"))
    }
  }

  @Test func `a commit of another process is told`() async throws {
    let feed = StudioStore(number: 0, path: store.path).feed
    let events = try #require(feed.listen())
    var texts = events.makeAsyncIterator()
    while let event = await texts.next() {
      if String(decoding: event, as: UTF8.self).hasPrefix("event: status") { break }
    }
    let began = ContinuousClock.now
    try store.rename("LSZH", "Zürich")
    var told = ""
    while let event = await texts.next() {
      told = String(decoding: event, as: UTF8.self)
      if told.hasPrefix("event: commit") { break }
    }
    let time = ContinuousClock.now - began
    #expect(told.contains("\"class\":\"Airport\""))
    #expect(told.contains("\"keys\":[\"LSZH\"]"))
    #expect(time < .seconds(5), "\(time)")
    await feed.close()
  }

  @Test func `a port that is taken is said`() async throws {
    try await studio { studio in
      await #expect(throws: StudioError.portTaken(studio.port)) {
        _ = try await Studio(Studio.Options(stores: [store.path], port: studio.port))
      }
    }
  }

  @Test func `a store that is not there is said before anything is opened`() async throws {
    await #expect(throws: StorageError.self) {
      _ = try await Studio(Studio.Options(stores: [store.path + "-nothing"]))
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a client that behaves badly is refused, and holds nobody up`() async throws {
    try await studio { studio in
      let (lines, _) = try await ProgramOutput.lines(
        of: "/usr/bin/python3", [Self.hostile.path, "\(studio.port)", studio.token])
      let expected = [
        "page 200", "garbage 400", "hello of TLS 400", "header of 1 MB 400", "address of 1 MB 400",
        "two hosts 421", "no host 421", "absolute address 404", "both lengths 400",
        "body of 9 MB 413", "request in a body 1", "page beside 900 slow ones 200",
      ]
      #expect(lines.filter { !$0.hasPrefix("slowest") } == expected)
      let slowest = try #require(lines.last?.split(separator: " ").last.flatMap { Double($0) })
      #expect(slowest < 5)
    }
  }

  private static let hostile = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Clients/hostile.py")
}
