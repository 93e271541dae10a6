import Atoll
import AtollSQLite
import AtollStorage
import Foundation
import StoreTestKit
import Testing

final class Operator: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
}

final class Station: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var owner: Operator?
}

/// With a link of its own, and with one in an any-typed value.
final class LegPart: EmbeddedObject {
  @Persisted var name: String
  @Persisted var station: Station?
  @Persisted var note: AnyValue
}

final class LegBox: EmbeddedObject {
  @Persisted var numbers: List<Int>
  @Persisted var station: Station?
}

final class Leg: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var length: Int
  @Persisted var start: Station?
  @Persisted var note: AnyValue
  @Persisted var stops: List<Station>
  @Persisted var delays: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var fees: Map<String, Int>
  @Persisted var parts: List<LegPart>
  @Persisted var doors: Map<String, LegPart?>
  @Persisted var things: List<AnyValue>
  @Persisted var box: LegBox?
}

final class Line: Object {
  @Persisted var stations: List<Station>
  @Persisted var depots: MutableSet<Station>
  @Persisted var stops: Map<String, Station?>
}

/// Links that a loop follows: their targets are read by pages, not one by one.
@Suite struct LinkTests {
  private static let count = 500
  /// Statements that a loop may cost for each link of its objects: two a page, and some to begin.
  private static let bound = 2 * ((count + 127) / 128) + 8

  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore([
      Operator.self, Station.self, Leg.self, LegPart.self, LegBox.self, Line.self,
    ])
    store = try place.open()
    try store.write {
      let line = store.create(Line.self)
      for id in 0..<Self.count {
        let owner = store.create(Operator.self, value: ["id": id, "name": "operator \(id)"])
        let station = store.create(
          Station.self, value: ["id": id, "name": "station \(id)", "owner": owner])
        // Not in the order of the stations, and some lead nowhere.
        let start = id % 10 == 9 ? nil : station
        store.create(
          Leg.self,
          value: [
            "id": (id * 7) % Self.count, "length": id, "start": start as Any,
            "note": AnyValue.object(station),
            "stops": Array(line.stations.suffix(id % 3)), "delays": Array(0..<id % 5),
            "tags": ["a\(id % 4)", "b"], "fees": ["x": id, "y": 1],
            "parts": [
              ["name": "first", "station": station], ["name": "second", "note": station],
            ],
            "doors": ["left": ["name": "door", "station": station]],
            "things": [AnyValue.object(station), AnyValue.int(id)],
            "box": ["numbers": [id, 1], "station": station],
          ])
        line.stations.append(station)
        line.depots.insert(station)
        line.stops["stop \(id)"] = station
      }
    }
  }

  private var legs: Results<Leg> { store.objects(Leg.self).sorted(by: \.id) }
  private var line: Line { get throws { try #require(store.objects(Line.self).first) } }

  /// The names of what links lead to, and the statements it took to read them.
  private func names<Thing>(
    of things: some Sequence<Thing>, _ name: (Thing) -> String?
  ) -> (names: [String?], statements: Int) {
    var names: [String?] = []
    let trace = store.traced { for thing in things { names.append(name(thing)) } }
    return (names, trace.statements.count)
  }

  private func expectedNames(_ prefix: String) -> [String?] {
    (0..<Self.count).map { id in
      let station = (0..<Self.count).first { $0 * 7 % Self.count == id } ?? 0
      return station % 10 == 9 ? nil : "\(prefix) \(station)"
    }
  }

  @Test func `a loop over results reads what links lead to by pages`() {
    let one = names(of: legs) { $0.start?.name }
    #expect(one.names == expectedNames("station"))
    #expect(one.statements <= Self.bound)
    let two = names(of: legs) { $0.start?.owner?.name }
    #expect(two.names == expectedNames("operator"))
    #expect(two.statements <= 2 * Self.bound)
    let any = names(of: legs) { $0.note.object(Station.self)?.name }
    #expect(any.names.allSatisfy { $0?.hasPrefix("station") == true })
    #expect(any.statements <= Self.bound)
  }

  @Test func `so does one by index, and one over sections`() {
    let results = legs
    let byIndex = names(of: 0..<Self.count) { results[$0].start?.name }
    #expect(byIndex.names == expectedNames("station"))
    #expect(byIndex.statements <= Self.bound + 1)
    let sections = legs.sectioned(
      by: { $0.length % 2 }, sortDescriptors: [SortDescriptor(keyPath: "id")])
    let inSections = names(of: sections.flatMap { Array($0) }) { $0.start?.name }
    #expect(inSections.names.compactMap { $0 }.count == Self.count / 10 * 9)
    #expect(inSections.statements <= 3 * Self.bound)
  }

  @Test func `the objects of lists, sets and maps are read by pages`() throws {
    let line = try line
    let all = (0..<Self.count).map { "station \($0)" }
    let listed = names(of: line.stations) { $0.name }
    #expect(listed.names == all)
    #expect(listed.statements <= Self.bound)
    let indexed = names(of: line.stations.indices) { line.stations[$0].owner?.name }
    #expect(indexed.names == (0..<Self.count).map { "operator \($0)" })
    #expect(indexed.statements <= 2 * Self.bound)
    let set = names(of: line.depots) { $0.name }
    #expect(set.names.compactMap { $0 }.sorted() == all.sorted())
    #expect(set.statements <= Self.bound)
    let values = names(of: line.stops) { $0.value?.name }
    #expect(values.names.compactMap { $0 }.sorted() == all.sorted())
    #expect(values.statements <= Self.bound)
  }

  @Test func `what the lists and sets of a loop's objects hold is read by pages`() throws {
    let numbers = (0..<Self.count).map { id in
      (0..<Self.count).first { $0 * 7 % Self.count == id } ?? 0
    }
    let delays = names(of: legs) { "\($0.delays.sum() as Int) \(Array($0.delays))" }
    #expect(delays.names == numbers.map { "\((0..<$0 % 5).reduce(0, +)) \(Array(0..<$0 % 5))" })
    let counts = names(of: legs) { "\($0.delays.count)" }
    #expect(counts.names == numbers.map { "\($0 % 5)" })
    #expect(counts.statements <= Self.bound)
    let tags = names(of: legs) { Array($0.tags).sorted().joined(separator: " ") }
    #expect(tags.names == numbers.map { "a\($0 % 4) b" })
    #expect(tags.statements <= Self.bound)
    let stops = names(of: legs) { $0.stops.map { "\($0.id)" }.joined(separator: " ") }
    #expect(stops.statements <= 2 * Self.bound)
    let expected = numbers.map { number in
      (0..<number).suffix(number % 3).map { "\($0)" }.joined(separator: " ")
    }
    #expect(stops.names == expected)
    try store.write {
      for leg in legs where leg.delays.count == 4 { leg.delays.append(9) }
      for leg in legs { #expect(leg.delays.last != 3 && leg.delays.count != 4) }
      store.delete(store.objects(Station.self).where { $0.id > 10 })
    }
    #expect(legs.allSatisfy { $0.stops.allSatisfy { $0.id <= 10 } })
    #expect(
      legs.reduce(0) { $0 + $1.stops.count }
        == numbers.reduce(0) { sum, number in
          sum + (0..<number).suffix(number % 3).filter { $0 <= 10 }.count
        })
  }

  /// The numbers of the stations that the legs go with, in the order of the legs.
  private var numbers: [Int] {
    (0..<Self.count).map { id in (0..<Self.count).first { $0 * 7 % Self.count == id } ?? 0 }
  }

  @Test func `so is what their maps hold, by key and as a whole`() throws {
    let one = names(of: legs) { "\($0.fees["x"] ?? -1) \($0.fees["z"] ?? -1)" }
    #expect(one.names == numbers.map { "\($0) -1" })
    #expect(one.statements <= Self.bound)
    let all = names(of: legs) { leg in leg.fees.map { "\($0.key)\($0.value)" }.joined() }
    #expect(all.names == numbers.map { "x\($0)y1" })
    #expect(all.statements <= Self.bound)
    try store.write {
      for leg in legs where leg.length % 2 == 0 { leg.fees["x"] = nil }
      for leg in legs { #expect(leg.fees["x"] == (leg.length % 2 == 0 ? nil : leg.length)) }
    }
    #expect(legs.map { $0.fees["x"] } == numbers.map { $0 % 2 == 0 ? nil : $0 })
  }

  @Test func `so are links in the embedded objects of lists and maps, and any-typed ones`() throws {
    let parts = names(of: legs) { $0.parts.first?.station?.name }
    #expect(parts.names == numbers.map { "station \($0)" })
    // There are two parts, and so two windows on them, a page.
    #expect(parts.statements <= 3 * Self.bound)
    let noted = names(of: legs) { $0.parts.compactMap { $0.note.object(Station.self)?.name }.first }
    #expect(noted.names == parts.names)
    #expect(noted.statements <= 3 * Self.bound)
    let doors = names(of: legs) { ($0.doors["left"] ?? nil)?.station?.owner?.name }
    #expect(doors.names == numbers.map { "operator \($0)" })
    #expect(doors.statements <= 4 * Self.bound)
    let things = names(of: legs) { $0.things.first?.object(Station.self)?.name }
    #expect(things.names == parts.names)
    #expect(things.statements <= 3 * Self.bound)
    let one = try #require(legs.first)
    try store.write {
      one.parts.removeAll()
      for station in store.objects(Station.self) {
        let part = LegPart()
        part.station = station
        one.parts.append(part)
      }
    }
    let within = names(of: one.parts) { $0.station?.name }
    #expect(within.names == (0..<Self.count).map { "station \($0)" })
    #expect(within.statements <= Self.bound)
    let byIndex = names(of: one.parts.indices) { one.parts[$0].station?.name }
    #expect(byIndex.names == within.names)
    #expect(byIndex.statements <= Self.bound)
  }

  @Test func `so is what an embedded object of one has in a list, and what it links to`() {
    let sums = names(of: legs) { "\(($0.box?.numbers.sum() as Int?) ?? -1)" }
    #expect(sums.names == numbers.map { "\($0 + 1)" })
    let lists = names(of: legs) { "\($0.box.map { Array($0.numbers) } ?? [])" }
    #expect(lists.names == numbers.map { "[\($0), 1]" })
    #expect(lists.statements <= Self.bound)
    let stations = names(of: legs) { $0.box?.station?.name }
    #expect(stations.names == numbers.map { "station \($0)" })
    #expect(stations.statements <= Self.bound)
  }

  @Test func `what is frozen is read the same`() throws {
    let frozen = legs.freeze()
    #expect(frozen.map { $0.parts.first?.station?.id } == numbers)
    #expect(frozen.map { $0.fees["x"] } == numbers)
    #expect(frozen.map { $0.stops.count } == numbers.map { min($0, $0 % 3) })
  }

  @Test func `lists that are too long to be read together are read one by one`() throws {
    try store.write {
      for leg in legs.prefix(10) { leg.delays.append(contentsOf: 0..<1000) }
    }
    let counts = legs.map(\.delays.count)
    #expect(counts.prefix(10).allSatisfy { $0 >= 1000 })
    #expect(counts.dropFirst(10).allSatisfy { $0 < 5 })
  }

  @Test func `who follows one link reads one row`() throws {
    let first = try #require(legs.first { $0.start != nil })
    let trace = store.traced { _ = first.start?.name }
    #expect(trace.rows == 1)
    let element = store.traced { _ = (try? line)?.stations.first?.name }
    #expect(element.statements.count <= 6)
  }

  @Test func `an object named by its key is the one that has the key when the query is asked`()
    throws
  {
    let found = try store.objects(Leg.self).filter(parsing: "start == obj('Station', 900)")
    let others = try store.objects(Leg.self).filter(parsing: "start != obj('Station', 900)")
    let any = try store.objects(Leg.self).filter(parsing: "note IN {obj('Station', 900)}")
    #expect(found.isEmpty && any.isEmpty && others.count == Self.count)
    for _ in 0..<2 {
      try store.write {
        let station = store.create(Station.self, value: ["id": 900, "name": "new"])
        let leg = try #require(store.objects(Leg.self).first)
        leg.start = station
        leg.note = .object(station)
        #expect(found.count == 1 && any.count == 1 && others.count == Self.count - 1)
      }
      #expect(found.first?.start?.name == "new" && any.first?.id == found.first?.id)
      try store.write {
        store.delete(try #require(store.object(ofType: Station.self, forPrimaryKey: 900)))
      }
      #expect(found.isEmpty && any.isEmpty && others.count == Self.count)
    }
    #expect(found.explain().contains("start == obj('Station', %@)"), "\(found.explain())")
  }

  @Test func `who links to an object is found by where the links lead`() throws {
    let station = try #require(store.object(ofType: Station.self, forPrimaryKey: 7))
    let start = store.objects(Leg.self).where { $0.start == station }
    #expect(start.explain().contains("USING INDEX index Leg.start"), "\(start.explain())")
    let stops = store.objects(Leg.self).filter("ANY stops == %@", station)
    #expect(stops.explain().contains("USING COVERING INDEX links Leg.stops"), "\(stops.explain())")
    #expect(stops.count == store.objects(Leg.self).filter { $0.stops.contains(station) }.count)
    let none = store.objects(Leg.self).filter("NONE stops == %@", station)
    #expect(none.count == Self.count - stops.count)
    for path in ["stations", "depots", "stops"] {
      let lines = store.objects(Line.self).filter("ANY \(path) == %@", station)
      #expect(lines.explain().contains("USING COVERING INDEX links Line.\(path)"), "\(path)")
      #expect(lines.count == 1, "\(path)")
    }
  }

  /// As files of programs are that made none of links.
  @Test func `a file without indexes of links is read as it is, and gets them`() throws {
    let old = place.folder.appending(path: "old.atoll")
    try store.writeCopy(toFile: old)
    let connection = try Connection(path: old.path, access: .readWrite)
    try connection.execute(
      """
      DROP INDEX "index Leg.start"; DROP INDEX "links Leg.stops";
      UPDATE atoll_property SET indexed = 0 WHERE name IN ('start', 'stops')
        AND class = (SELECT id FROM atoll_class WHERE name = 'Leg')
      """)
    connection.close()
    var configuration = store.configuration
    configuration.fileURL = old
    func ask(_ isReadOnly: Bool) throws -> (count: Int, plans: String) {
      configuration.isReadOnly = isReadOnly
      let store = try Store(configuration: configuration)
      let station = try #require(store.object(ofType: Station.self, forPrimaryKey: 7))
      let legs = store.objects(Leg.self).where { $0.start == station || $0.stops.contains(station) }
      return (legs.count, store.objects(Leg.self).where { $0.start == station }.explain())
    }
    let reader = try ask(true)
    #expect(reader.count > 1 && !reader.plans.contains("USING INDEX"))
    let writer = try ask(false)
    #expect(writer.count == reader.count && writer.plans.contains("USING INDEX index Leg.start"))
  }

  @Test func `what changes while the loop runs is seen`() throws {
    var seen: [String?] = []
    try store.write {
      for leg in legs {
        seen.append(leg.start?.name)
        leg.start?.name = "seen"
        // Read again, by another accessor of the same row.
        #expect(leg.start?.name ?? "seen" == "seen")
      }
    }
    #expect(seen == expectedNames("station"))
    var ids: [Int] = []
    for leg in legs {
      ids.append(leg.id)
      if leg.id == 3 || leg.id == 200 {
        try store.write { for station in store.objects(Station.self) { station.name += "!" } }
      }
      if let name = leg.start?.name {
        #expect(
          name == "seen" + String(repeating: "!", count: leg.id < 3 ? 0 : leg.id < 200 ? 1 : 2))
      }
    }
    #expect(ids == Array(0..<Self.count))
  }

  @Test func `what is deleted while the loop runs is not there any more`() throws {
    var found = 0
    for leg in legs where leg.start?.name != nil {
      found += 1
      if found == 5 { try store.write { store.delete(store.objects(Station.self)) } }
    }
    #expect(found == 5)
    var gone = 0
    for leg in legs {
      gone += 1
      _ = leg.start?.name
      if gone == 300 {
        try store.write { store.delete(legs.where { $0.id >= 400 }) }
      }
    }
    #expect(gone == 400)
  }

  @Test func `objects that are kept have their values after the loop`() throws {
    let starts = legs.compactMap(\.start)
    let kept = Array(legs)
    #expect(kept.map(\.length).sorted() == Array(0..<Self.count))
    #expect(kept.map { $0.start?.name } == expectedNames("station"))
    try store.write { starts[7].name = "another" }
    #expect(starts.filter { $0.name == "another" }.count == 1)
    #expect(kept.filter { $0.start?.name == "another" }.count == 1)
    try store.beginWrite()
    starts[8].name = "given up"
    #expect(kept.contains { $0.start?.name == "given up" })
    store.cancelWrite()
    #expect(!kept.contains { $0.start?.name == "given up" })
  }
}
