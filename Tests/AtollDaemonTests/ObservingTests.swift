import AtollNode
import AtollStorage
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

@testable import AtollDaemon

/// The reports of real daemons about themselves.
@Suite struct ObservingTests {
  static let storeID = StoreID(high: 3, low: 4)

  /// Makes an object in a store, which is made if it is not there.
  static func write(_ number: Int64, to path: String) throws {
    let file = try StoreFile.open(path, options: StoreOptions(storeID: storeID))
    defer { file.close() }
    let schema = ClassSchema(
      name: "Thing", primaryKey: "id", properties: [PropertySchema(name: "id", type: .int)])
    let things = try #require(try file.adopt([schema]).first)
    try file.beginWrite()
    _ = try file.create(things.id, key: .int(number), fields: [])
    _ = try file.commitWrite()
  }

  @Test func `metrics of two daemons tell what went from one to the other`() async throws {
    try await withFolder { folder in
      let (a, b) = (folder + "/a.atoll", folder + "/b.atoll")
      for path in [a, b] {
        try StoreFile.open(path, options: StoreOptions(storeID: Self.storeID)).close()
      }
      let first = try DaemonProcess(
        ["--store", a, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"], in: folder)
      let port = try await first.port()
      let second = try DaemonProcess(
        ["--store", b, "--peer", "127.0.0.1:\(port)", "--metrics", "127.0.0.1:0"], in: folder)
      try await second.said(" is up: replica")
      try Self.write(1, to: a)
      let (here, there) = (try await first.metricsPort(), try await second.metricsPort())
      var text = ""
      let store = "store=\"\(URL(fileURLWithPath: b).resolvingSymlinksInPath().path)\""
      for _ in 0..<500 {
        text = try await fetch("/metrics", at: there)
        if metric("atoll_changesets_applied_total{\(store)", in: text) == 2 { break }
      }
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      // The write, and the object of the other replica; in one batch or in two.
      #expect(metric("atoll_changesets_applied_total{\(store)}", in: text) == 2)
      let batches = try #require(metric("atoll_apply_seconds_count{\(store)}", in: text))
      #expect((1...2).contains(batches))
      #expect(
        (metric("atoll_commits_total{\(store),origin=\"node\"}", in: text) ?? 0) >= batches)
      #expect((metric("atoll_received_bytes_total{\(store)}", in: text) ?? 0) > 100)
      #expect(
        metric("atoll_peer_connected{\(store),peer=\"127.0.0.1:\(port)\"}", in: text) == 1)
      // Members are known with the next status, a quarter of a second later at most.
      var other = ""
      for port in [there, here] {
        for _ in 0..<500 {
          other = try await fetch("/metrics", at: port)
          if metric("atoll_peer_lag_seconds{", in: other) != nil { break }
        }
        if port == there { text = other }
      }
      #expect(metric("atoll_links{", in: other) == 1)
      #expect((metric("atoll_sent_bytes_total{", in: other) ?? 0) > 100)
      #expect(metric("atoll_database_bytes{", in: other) != nil)
      for each in [Metric.peerLagChangesets, .peerLagSeconds, .peerQueueBytes, .peerDiverged] {
        #expect(metric("\(each.rawValue){", in: other) != nil, "\(each)")
      }
      for each in Metric.allCases { #expect(text.contains("# TYPE \(each.rawValue) "), "\(each)") }
      let health = try await fetch("/health", at: there)
      #expect(health.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(health.contains("\"status\":\"ok\""))
    }
  }

  @Test func `other paths, methods and bytes are answered with a reason`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--metrics", "127.0.0.1:0"], in: folder)
      let port = try await daemon.metricsPort()
      #expect(try await fetch("/nothing", at: port).hasPrefix("HTTP/1.1 404 "))
      #expect(
        try await exchange("POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", at: port)
          .contains("Allow: GET\r\n"))
      #expect(try await exchange("\u{0}\r\n\r\n", at: port).hasPrefix("HTTP/1.1 400 "))
      #expect(try await exchange("GET / HTTP/1.1\r\n", at: port).hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test func `issue 32: metrics tell on how many replicas owners have said what`() async throws {
    try await withFolder { folder in
      let path = folder + "/a.atoll"
      let file = try StoreFile.open(path, options: StoreOptions(isOwned: true))
      for low in 1...3 as ClosedRange<UInt64> {
        try file.admit(ReplicaID(high: 9, low: low), as: .writer)
      }
      try file.remove(ReplicaID(high: 9, low: 3))
      try AdmissionRequests(of: file).ask(for: ReplicaID(high: 9, low: 4))
      file.close()
      let daemon = try DaemonProcess(
        ["--store", path, "--metrics", "127.0.0.1:0"], in: folder)
      let port = try await daemon.metricsPort()
      let store = "store=\"\(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)\""
      let expected = ["owner": 1.0, "writer": 2, "removed": 1, "requested": 1]
      var found: [String: Double] = [:]
      for _ in 0..<500 where found != expected {
        let text = try await fetch("/metrics", at: port)
        for state in expected.keys {
          found[state] = metric("atoll_admissions{\(store),state=\"\(state)\"}", in: text)
        }
      }
      #expect(found == expected)
      daemon.send(SIGTERM)
      #expect(try await daemon.ended.value().exitCode == 0)
    }
  }

  @Test func `issue 28.18: metrics on loopback are told to nobody who names another machine`()
    async throws
  {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--metrics", "127.0.0.1:0"], in: folder)
      let port = try await daemon.metricsPort()
      for host in ["evil.example", "evil.example:\(port)", "localhost.evil.example", "10.0.0.1"] {
        let answer = try await exchange("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n", at: port)
        #expect(answer.hasPrefix("HTTP/1.1 421 ") && !answer.contains("atoll_"), "\(host)")
      }
      for host in ["localhost", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "[::1]"]
      {
        let answer = try await exchange("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n", at: port)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(host)")
      }
    }
  }

  @Test func `the dashboard asks for metrics that there are, and for each of them`() throws {
    let path = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("deploy/grafana-dashboard.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let asked = Set(
      text.matches(of: /\b(?:atoll|process)_[a-z_]+[a-z]/).map { match in
        String(match.0).replacing(/_(bucket|sum|count)$/, with: "")
      })
    let told = Set(Observatory.help.keys)
    #expect(asked.subtracting(told) == [])
    #expect(told.subtracting(asked) == [])
  }
}
