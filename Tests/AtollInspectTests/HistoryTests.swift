import AtollInspect
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// The log, conflicts, reasons and members, as people are shown them.
@Suite struct HistoryTests {
  private let stores = InspectedStores()

  /// Two replicas that assigned one property without having seen each other; "a" has applied both.
  private func makeConflict() throws -> (a: CityStore, b: CityStore) {
    let (a, b) = (try stores.store("a"), try stores.store("b", ahead: 100))
    try a.file.setReplicaName("Alpha")
    try a.make("Bern", 1)
    try b.take(from: a)
    try a.assign("Bern", 2)
    try b.assign("Bern", 3)
    try a.take(from: b)
    return (a, b)
  }

  @Test func `the log is a row for each changeset, in local order, page by page`() throws {
    let store = try stores.store("a")
    for number in 0..<5 { try store.make("City \(number)", nil) }
    try stores.inspect("a") { inspection throws in
      var rows: [LogRow] = []
      try inspection.forEachLogRow { rows.append($0) }
      #expect(rows.map(\.sequence) == [1, 2, 3, 4, 5])
      #expect(Set(rows.map(\.author)) == ["\(store.file.author)"])
      var paged: [LogRow] = []
      var page = try inspection.log(count: 2)
      while true {
        paged += page.rows
        if page.isLast { break }
        page = try inspection.log(after: page.next, count: 2)
      }
      #expect(paged == rows)
      let text = try json(rows[0])
      #expect(text.hasPrefix(#"{"author":"\#(store.file.author)","bytes":\#(rows[0].bytes),"#))
      #expect(!text.contains("continued"))
    }
  }

  @Test func `a conflict has both sides, with names and the rule in words`() throws {
    let (a, b) = try makeConflict()
    let rows = try stores.inspect("a") { try $0.conflicts() }
    let row = try #require(rows.first)
    #expect(rows.count == 1)
    #expect([row.losing.value, row.winning.value] == ["2", "3"])
    #expect(row.losing.author == "\(a.file.author)" && row.losing.name == "Alpha")
    #expect(row.winning.author == "\(b.file.author)" && row.winning.name == nil)
    #expect(row.reason == "the later time holds")
    #expect(
      try json(row) == """
        {"class":"City","key":"\\"Bern\\"","losing":{"author":"\(a.file.author)","name":"Alpha",\
        "time":"\(row.losing.time ?? "")","value":"2"},"number":\(row.number),\
        "path":"inhabitants","rule":1,"winning":{"author":"\(b.file.author)",\
        "time":"\(row.winning.time ?? "")","value":"3"}}
        """)
    try stores.inspect("a") { inspection throws in
      #expect(try inspection.conflicts(of: "City", key: "Bern") == rows)
      #expect(try inspection.conflicts(of: "City", key: "Basel") == [])
    }
  }

  @Test func `why has each write with its fate, and the entries of the ledger`() throws {
    let (a, _) = try makeConflict()
    try stores.inspect("a") { inspection throws in
      let report = try inspection.why("City", key: "Bern", property: "inhabitants")
      #expect(report.value == "3")
      #expect(report.holder == nil)
      #expect(report.writes.map(\.value) == ["1", "2", "3"])
      #expect(report.writes.map(\.fate) == [.overwritten, .lost, .holds])
      #expect(report.writes.map(\.rule) == [nil, "the later time holds", nil])
      #expect(report.writes[0].by.text == "Alpha (\(a.file.author))")
      #expect(report.conflicts.count == 1)
      _ = try json(report)
      #expect(throws: InspectionError.self) {
        try inspection.why("City", key: "Basel", property: "inhabitants")
      }
    }
  }

  @Test func `members are listed with what they are known to have`() throws {
    let (a, _) = try makeConflict()
    let rows = try stores.inspect("a") { try $0.members() }
    let own = try #require(rows.first { $0.isThis })
    #expect(own.replica == "\(a.file.author.replica)")
    #expect(own.name == "Alpha" && own.behind == 0 && !own.isConnected)
    for row in rows { _ = try json(row) }
  }

  @Test func `a roster has its nodes, and nobody waits where no daemon runs`() throws {
    let store = try stores.store("a")
    let identity = NodeIdentity(bytes: Array(repeating: 7, count: 32))
    try store.file.admit(
      RosterEntry(identity: try #require(identity), name: "b", addresses: ["b:4717"]))
    let roster = try stores.inspect("a") { try $0.roster() }
    #expect(roster.nodes.map(\.name) == ["b"])
    #expect(roster.nodes.map(\.addresses) == [["b:4717"]])
    #expect(roster.pending == [])
    _ = try json(roster)
  }

  @Test func `truncation says what would go, and that a lone replica keeps all`() throws {
    let store = try stores.store("a")
    try store.make("Bern", 1)
    try stores.inspect("a") { inspection throws in
      #expect(try inspection.isAlone())
      let report = try inspection.truncation(olderThan: .zero)
      #expect(report.log > 0 && report.removable == 0)
      _ = try json(report)
    }
  }

  @Test func `a file that is no store is a finding, and one that is missing an error`() throws {
    let path = stores.path("bad")
    try String(repeating: "no store ", count: 1000)
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try Inspection.verification(ofStoreAt: path).findings.count == 1)
    #expect(throws: StorageError.self) {
      try Inspection.verification(ofStoreAt: stores.path("none"))
    }
  }

  @Test func `a replica is meant by its name or the beginning of its id, or by nothing`() throws {
    let (a, b) = try makeConflict()
    let (here, there) = (a.file.author.replica, b.file.author.replica)
    try stores.inspect("a") { inspection throws in
      #expect(try inspection.replica(called: "Alpha") == here)
      #expect(try inspection.replica(called: "\(there)") == there)
      #expect(throws: InspectionError.self) { try inspection.replica(called: "Al") }
    }
  }

  @Test func `a sound store has no findings, and equal stores no differences`() throws {
    let (a, b) = try makeConflict()
    try a.make("Basel", 5)
    let report = try Inspection.verification(ofStoreAt: stores.path("a"))
    #expect(report.findings == [] && report.objects == 3 && report.changesets == 5)
    _ = try json(report)
    try stores.inspect("a") { inspection throws in
      try stores.inspect("b") { other throws in
        let comparison = try inspection.compare(with: other)
        #expect(comparison.differences.map(\.key) == ["\"Basel\""])
        #expect(comparison.differences.first?.there == nil)
        #expect(!comparison.isSameFrontier)
        _ = try json(comparison)
      }
    }
    try b.take(from: a)
    try stores.inspect("a") { inspection throws in
      try stores.inspect("b") { other throws in
        let comparison = try inspection.compare(with: other)
        #expect(comparison.differences == [] && comparison.isSameFrontier)
      }
    }
  }
}
