import AtollInspect
import AtollPresence
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct StatusReportTests {
  private let stores = InspectedStores()

  private static let status = StoreStatus(
    processID: 7, agent: "atolld", listening: nil, store: "s", replica: "r", applied: [:],
    peers: [], time: 0)

  @Test func `a store that nobody serves has its contents, and is well`() throws {
    let store = try stores.store("a")
    try store.make("Bern", 134_000)
    let report = try stores.inspect("a") { try $0.status(.nobody) }
    #expect(
      try json(report) == """
        {"applied":{"\(store.file.author)":1},"health":"ok","objects":{"City":1},\
        "replica":"\(store.file.author)","store":"\(InspectedStores.storeID)"}
        """)
    #expect(report.severity == nil)
  }

  @Test func `the digest is that of the file, and only there if it is asked for`() throws {
    let store = try stores.store("a")
    try store.make("Bern", 134_000)
    let digest = "\(try store.file.digest())"
    try stores.inspect("a") { inspection throws in
      #expect(try inspection.status(.nobody).digest == nil)
      #expect(try inspection.status(.nobody, withDigest: true).digest == digest)
    }
  }

  @Test(arguments: [
    (ServiceState.serving(status), "serving", "ok", []),
    (.ended(status), "ended", "failing", ["daemon-gone"]),
    (.silent(status, for: .seconds(60)), "silent", "failing", ["daemon-silent"]),
    (.unreadable("words"), "unreadable", "failing", ["daemon-silent"]),
  ])
  func `the state of the node decides the health`(
    service: ServiceState, daemon: String, health: String, conditions: [String]
  ) throws {
    _ = try stores.store("a")
    let report = try stores.inspect("a") { try $0.status(service) }
    #expect(report.daemon == daemon)
    #expect(report.health == health)
    #expect((report.conditions ?? []).map(\.name) == conditions)
    #expect((report.servedBy != nil) == (daemon == "serving"))
    _ = try json(report)
  }

  @Test func `what a node tells of itself is told with its severity and remedy`() throws {
    _ = try stores.store("a")
    var status = Self.status
    status.conditions = [HealthCondition(.peerTakesNothing, "the peer b takes nothing")]
    let report = try stores.inspect("a") { try $0.status(.serving(status)) }
    #expect(report.severity == .degraded)
    #expect(report.conditions?.first?.remedy == "Look at the disk of that peer.")
    #expect(try json(report).contains(#""health":"degraded""#))
  }

  @Test func `names of replicas stand by their ids`() throws {
    let store = try stores.store("a")
    try store.file.setReplicaName("Alpha")
    let report = try stores.inspect("a") { try $0.status(.nobody) }
    #expect(report.name == "Alpha")
    #expect(report.names == ["\(store.file.author.replica)": "Alpha"])
    let names = try stores.inspect("a") { try $0.names() }
    #expect(
      try json(names) == #"[{"name":"Alpha","replica":"\#(store.file.author.replica)"}]"#)
  }
}
