import Foundation
import Testing

@testable import AtollStudio

/// The answers of the API about a store that a person only looks at.
struct ReadingTests {
  private let store: StudioStores
  private let routes: Routes

  init() throws {
    store = try StudioStores()
    routes = Routes(
      stores: [StudioStore(number: 0, path: store.path)], isReadOnly: true)
  }

  private func get(_ path: String, _ query: [String: String] = [:]) async throws -> Answer {
    try Answer(
      await routes.answer(
        to: StudioRequest(method: .get, path: "/api/v1/\(path)", query: query)))
  }

  @Test func `the session names the stores`() async throws {
    let answer = try await get("session")
    let stores = try #require(answer.json["stores"] as? [[String: Any]])
    #expect(stores.count == 1)
    #expect(stores.first?["name"] as? String == "airports.atoll")
    #expect(answer.json["isReadOnly"] as? Bool == true)
  }

  @Test func `the schema counts objects and names the links that lead to a class`() async throws {
    let answer = try await get("stores/0/schema")
    let classes = try #require(answer.json["classes"] as? [[String: Any]])
    #expect(classes.map { $0["name"] as? String } == ["Airport", "Country"])
    #expect(classes.map { $0["objects"] as? Int } == [2, 1])
    let backlinks = try #require(classes.last?["backlinks"] as? [[String: String]])
    #expect(backlinks == [["class": "Airport", "property": "country"]])
  }

  @Test func `objects come by pages, filtered and sorted`() async throws {
    let all = try await get(
      "stores/0/objects", ["class": "Airport", "sort": "landings", "descending": "true"])
    #expect(keys(of: all) == ["LSZH", "LSGG"])
    let first = try await get(
      "stores/0/objects", ["class": "Airport", "sort": "icao", "count": "1"])
    #expect(keys(of: first) == ["LSGG"])
    #expect(first.json["isLast"] as? Bool == false)
    let found = try await get(
      "stores/0/objects", ["class": "Airport", "where": "landings > 500 AND country.code == 'CH'"])
    #expect(keys(of: found) == ["LSZH"])
    let count = try await get("stores/0/count", ["class": "Airport", "where": "landings > 500"])
    #expect(count.json["count"] as? Int == 1)
  }

  @Test func `a page far from the beginning is the same as by all pages before it`() async throws {
    try store.add(5000)
    for query in [["sort": "name", "descending": "true"], ["where": "icao != 'XXXX'"], [:]] {
      var all: [String] = []
      for start in stride(from: 0, to: 6000, by: 1000) {
        let part = query.merging(["class": "Airport", "from": "\(start)", "count": "1000"]) { $1 }
        let page = try await get("stores/0/objects", part)
        all += keys(of: page)
        #expect(page.json["isLast"] as? Bool == (start >= 5000))
      }
      #expect(all.count == 5002 && Set(all).count == 5002)
      let far = query.merging(["class": "Airport", "from": "4321", "count": "7"]) { $1 }
      #expect(keys(of: try await get("stores/0/objects", far)) == Array(all[4321..<4328]))
    }
    try store.rename("LSGG", "~ last of all")
    let last = try await get(
      "stores/0/objects", ["class": "Airport", "sort": "name", "from": "5001"])
    #expect(keys(of: last) == ["LSGG"])
  }

  private func keys(of answer: Answer) -> [String] {
    let rows = answer.json["rows"] as? [[[String: Any]]] ?? []
    return rows.compactMap { $0.first?["text"] as? String }
  }

  @Test func `an error in a predicate names its place`() async throws {
    let answer = try await get(
      "stores/0/objects", ["class": "Airport", "where": "landings > 1 AND nmae == 'x'"])
    #expect(answer.status == 400)
    let error = try #require(answer.json["error"] as? [String: Any])
    #expect(error["offset"] as? Int == 17)
    #expect(error["length"] as? Int == 4)
    #expect(answer.message.contains("perhaps \"name\""))
  }

  @Test func `one object comes whole, with who links to it`() async throws {
    let answer = try await get("stores/0/object", ["class": "Country", "key": "CH"])
    let backlinks = try #require(answer.json["backlinks"] as? [[String: Any]])
    #expect(backlinks.first?["count"] as? Int == 2)
    let airport = try await get("stores/0/object", ["class": "Airport", "key": "LSZH"])
    let object = try #require(airport.json["object"] as? [String: Any])
    #expect(object["name"] as? String == "Kloten")
    let none = try await get("stores/0/object", ["class": "Airport", "key": "XXXX"])
    #expect(none.status == 404)
  }

  @Test func `links of lists, sets and maps lead back too`() async throws {
    try store.link("LSGG", to: "LSZH")
    let answer = try await get("stores/0/object", ["class": "Airport", "key": "LSZH"])
    let backlinks = try #require(answer.json["backlinks"] as? [[String: Any]])
    #expect(backlinks.map { $0["property"] as? String } == ["near", "partners", "gates"])
    #expect(backlinks.map { $0["count"] as? Int } == [1, 1, 1])
    let other = try await get("stores/0/object", ["class": "Airport", "key": "LSGG"])
    let none = try #require(other.json["backlinks"] as? [[String: Any]])
    #expect(none.map { $0["count"] as? Int } == [0, 0, 0])
  }

  @Test func `why tells who wrote a property`() async throws {
    try store.rename("LSZH", "Zürich")
    let answer = try await get(
      "stores/0/why", ["class": "Airport", "key": "LSZH", "property": "name"])
    let writes = try #require(answer.json["writes"] as? [[String: Any]])
    #expect(writes.map { $0["fate"] as? String } == ["overwritten", "holds"])
  }

  @Test func `the log comes newest first, page by page, with operations in words`() async throws {
    for number in 0..<300 { try store.rename("LSZH", "name \(number)") }
    let first = try await get("stores/0/log", ["count": "100"])
    let rows = try #require(first.json["rows"] as? [[String: Any]])
    #expect(rows.count == 100)
    #expect(rows.compactMap { $0["sequence"] as? Int } == Array((202...301).reversed()))
    #expect(first.json["isLast"] as? Bool == false)
    var before = try #require(first.json["next"] as? Int)
    var sequences: [Int] = []
    for _ in 0..<10 {
      let page = try await get("stores/0/log", ["count": "150", "before": "\(before)"])
      let rows = try #require(page.json["rows"] as? [[String: Any]])
      sequences += rows.compactMap { $0["sequence"] as? Int }
      before = try #require(page.json["next"] as? Int)
      if page.json["isLast"] as? Bool == true { break }
    }
    #expect(sequences == Array((1...201).reversed()))
    let position = try #require(rows.first?["position"] as? Int)
    let changeset = try await get("stores/0/changeset", ["position": "\(position)"])
    #expect(
      changeset.json["operations"] as? [String] == ["set Airport \"LSZH\" name = \"name 299\""])
  }

  @Test func `a query shows its SQL, its plan and its time`() async throws {
    let answer = try await get("stores/0/query", ["class": "Airport", "where": "icao == 'LSZH'"])
    #expect(answer.json["count"] as? Int == 1)
    let sql = try #require(answer.json["sql"] as? [String])
    #expect(sql.joined().contains("SELECT"))
    #expect(answer.json["plan"] as? [String] != [])
  }

  @Test func `replication and health tell of the replica itself`() async throws {
    let replication = try await get("stores/0/replication")
    let members = try #require(replication.json["members"] as? [[String: Any]])
    #expect(members.map { $0["isThis"] as? Bool } == [true])
    let health = try await get("stores/0/health")
    #expect(health.json["health"] as? String == "ok")
    #expect((health.json["file"] as? Int ?? 0) > 0)
  }

  @Test func `export gives a file of one snapshot`() async throws {
    for (format, first) in [("csv", "icao,name,landings,country,near"), ("jsonl", "{\"class\"")] {
      let response = await routes.answer(
        to: StudioRequest(
          method: .get, path: "/api/v1/stores/0/export",
          query: ["class": "Airport", "format": format]))
      guard case .stream(let stream) = response.body else {
        Issue.record("no stream")
        return
      }
      var text = ""
      for await piece in stream { text += String(decoding: piece, as: UTF8.self) }
      #expect(text.hasPrefix(first))
      #expect(text.split(separator: "\n").count == (format == "csv" ? 3 : 2))
    }
  }

  @Test(arguments: [
    ("stores/0/objects", [:], "`class` is missing"),
    ("stores/0/objects", ["class": "Airport", "count": "1001"], "from 0 to 1000"),
    ("stores/0/objects", ["class": "Airport", "from": "-1"], "from 0"),
    ("stores/0/objects", ["class": "Airport", "descending": "yes"], "true or false"),
    ("stores/0/export", ["class": "Airport", "format": "xml"], "csv or jsonl"),
    ("stores/0/changeset", [:], "`position` is missing"),
  ])
  func `a wrong parameter is said`(
    path: String, query: [String: String], words: String
  ) async throws {
    let answer = try await get(path, query)
    #expect(answer.status == 400)
    #expect(answer.message.contains(words))
  }

  @Test func `what there is not is not found`() async throws {
    for path in ["nothing", "stores/1/status", "stores/0/nothing", "stores/x/status", "stores/0"] {
      #expect(try await get(path).status == 404)
    }
    let answer = try await get("stores/0/objects", ["class": "Nothing"])
    #expect(answer.status == 404)
    #expect(answer.message.contains("it holds Airport, Country"))
    let column = try await get("stores/0/objects", ["class": "Airport", "sort": "nothing"])
    #expect(column.status == 404)
  }

  @Test func `what is read is not posted to`() async throws {
    let answer = try Answer(
      await routes.answer(
        to: StudioRequest(method: .post, path: "/api/v1/stores/0/schema")))
    #expect(answer.status == 405)
  }
}
