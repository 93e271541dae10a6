import Atoll
import Foundation

/// The rows of the tables of the page "Queries": each is asked in both forms.
///
/// The Swift form on the page is the text of the closure here, read from this file.
struct PageRow {
  let what: String
  let query: (Query<Airport>) -> Query<Bool>
  let text: String
  let arguments: [Any?]
  let line: Int

  init(
    _ what: String, _ query: @escaping (Query<Airport>) -> Query<Bool>, _ text: String,
    _ arguments: [Any?] = [], line: Int = #line
  ) {
    self.what = what
    self.query = query
    self.text = text
    self.arguments = arguments
    self.line = line
  }

  /// Returns the text between the braces of the closure.
  func swift(in source: [String]) -> String {
    let line = source[line - 1]
    guard let start = line.range(of: "{ "), let end = line.range(of: " }", options: .backwards)
    else { return "" }
    return String(line[start.upperBound..<end.lowerBound])
  }
}

enum QueriesPage {
  static let alps: GeoBox = {
    let corners = [(45.0, 5.0), (48.0, 11.0)].compactMap {
      GeoPoint(latitude: $0.0, longitude: $0.1)
    }
    guard let first = corners.first, let last = corners.last else { fatalError("no corners") }
    return GeoBox(bottomLeft: first, topRight: last)
  }()

  // One row a line, because the test reads the closure from its line.
  // swift-format-ignore
  static var sections: [(name: String, rows: [PageRow])] { [
    ("Comparing", [
      PageRow("equal", { $0.icao == "LSZH" }, "icao == 'LSZH'"),
      PageRow("not equal, nil included", { $0.iata != "ZRH" }, "iata != 'ZRH'"),
      PageRow("less", { $0.elevation < 100 }, "elevation < 100"),
      PageRow("at most", { $0.elevation <= 100 }, "elevation <= 100"),
      PageRow("greater", { $0.elevation > 100 }, "elevation > 100"),
      PageRow("at least", { $0.elevation >= 100 }, "elevation >= 100"),
      PageRow("closed range", { $0.elevation.contains(100...200) }, "elevation BETWEEN {100, 200}"),
      PageRow("half-open range", { $0.elevation.contains(100..<200) }, "elevation >= 100 AND elevation < 200"),
      PageRow("one of several", { $0.icao.in(["LSZH", "LFPG"]) }, "icao IN {'LSZH', 'LFPG'}"),
      PageRow("nil", { $0.iata == nil }, "iata == nil"),
      PageRow("another property", { $0.icao == $0.name }, "icao == name"),
      PageRow("a Bool by itself", { $0.isOpen }, "isOpen == TRUE"),
      PageRow("a mapped value, member by member", { $0.spot == Spot(row: 1, note: "a") }, "spot.row == 1 AND spot.note == 'a'"),
    ]),
    ("Combining", [
      PageRow("and", { $0.isOpen && $0.elevation > 100 }, "isOpen == TRUE AND elevation > 100"),
      PageRow("or", { $0.isOpen || $0.elevation > 100 }, "isOpen == TRUE OR elevation > 100"),
      PageRow("not", { !($0.elevation > 100) }, "NOT (elevation > 100)"),
    ]),
    ("Computing", [
      PageRow("a sum", { $0.elevation + 100 > 500 }, "elevation + 100 > 500"),
      PageRow("a difference", { 1000 - $0.elevation < 0 }, "1000 - elevation < 0"),
      PageRow("a product, and a sum", { $0.elevation * 3 + 1 > 500 }, "elevation * 3 + 1 > 500"),
      PageRow("a quotient, for some element", { $0.runways.length / 2 >= 1500 }, "ANY runways.length / 2 >= 1500"),
    ]),
    ("Text", [
      PageRow("contains", { $0.name.contains("ric") }, "name CONTAINS 'ric'"),
      PageRow("the empty text", { $0.name.isEmpty }, "name == ''"),
      PageRow("begins with", { $0.name.starts(with: "Zür") }, "name BEGINSWITH 'Zür'"),
      PageRow("ends with", { $0.name.ends(with: "ich") }, "name ENDSWITH 'ich'"),
      PageRow("like a pattern", { $0.name.like("Z?r*") }, "name LIKE 'Z?r*'"),
      PageRow("without case and diacritics", { $0.name.equals("ZURICH", options: [.caseInsensitive, .diacriticInsensitive]) }, "name ==[cd] 'ZURICH'"),
      PageRow("other than", { $0.name.notEquals("ZÜRICH", options: .caseInsensitive) }, "name !=[c] 'ZÜRICH'"),
    ]),
    ("Words and areas", [
      PageRow("by words", { $0.remarks.search("zürich -airport") }, "remarks TEXT 'zürich -airport'"),
      PageRow("the beginning of a word, and a phrase", { $0.remarks.search("zür* \"lake side\"") }, "remarks TEXT 'zür* \"lake side\"'"),
      PageRow("in an area", { $0.place.geoWithin(alps) }, "place IN %@", [alps]),
    ]),
    ("Links and embedded objects", [
      PageRow("through a link", { $0.country.code == "CH" }, "country.code == 'CH'"),
      PageRow("no link", { $0.country == nil }, "country == nil"),
      PageRow("a stored member", { $0.spot.persistableValue.row > 1 }, "spot.row > 1"),
    ]),
    ("Collections", [
      PageRow("some element", { $0.runways.length > 3000 }, "ANY runways.length > 3000"),
      PageRow("no element", { !($0.runways.length > 3000) }, "NONE runways.length > 3000"),
      PageRow("has a value", { $0.tags.contains("hub") }, "'hub' IN tags"),
      PageRow("has one of several", { $0.tags.containsAny(in: ["hub", "jet"]) }, "ANY tags IN {'hub', 'jet'}"),
      PageRow("the stored value of elements", { $0.runways.surface.rawValue == "grass" }, "ANY runways.surface == 'grass'"),
      PageRow("all elements in a range, and some there", { $0.delays.contains(0...10) }, "delays.@min >= 0 AND delays.@max <= 10"),
      PageRow("no element", { $0.runways.isEmpty }, "runways.@count == 0"),
      PageRow("how many", { $0.runways.count >= 2 }, "runways.@count >= 2"),
      PageRow("how many that satisfy", { ($0.runways.length > 3000 && $0.runways.surface == .asphalt).count > 1 }, "SUBQUERY(runways, $r, $r.length > 3000 AND $r.surface == 'asphalt').@count > 1"),
      PageRow("least", { $0.runways.length.min < 800 }, "runways.@min.length < 800"),
      PageRow("greatest", { $0.runways.length.max > 800 }, "runways.@max.length > 800"),
      PageRow("sum", { $0.delays.sum > 60 }, "delays.@sum > 60"),
      PageRow("average", { $0.delays.avg > 7.5 }, "delays.@avg > 7.5"),
    ]),
    ("Maps and any-typed values", [
      PageRow("the value of a key", { $0.fees["landing"] > 50 }, "fees['landing'] > 50"),
      PageRow("some key", { $0.fees.keys.starts(with: "land") }, "ANY fees.@allKeys BEGINSWITH 'land'"),
      PageRow("some value", { $0.fees.values > 50 }, "ANY fees.@allValues > 50"),
      PageRow("any-typed", { $0.setting == .int(5) }, "setting == 5"),
      PageRow("into a dictionary", { $0.setting["size"] == .int(5) }, "setting['size'] == 5"),
      PageRow("into a list", { $0.setting[0] == .int(5) }, "setting[0] == 5"),
      PageRow("some element inside", { $0.setting.any == .int(5) }, "ANY setting[*] == 5"),
    ]),
  ] }

  /// The tables, as they stand on the page.
  static func tables(in store: Store, source: [String]) throws -> String {
    var page = ""
    for section in sections {
      page += "### \(section.name)\n\n| | Swift | Text | SQL |\n|---|---|---|---|\n"
      for row in section.rows {
        let sql = condition(of: store.objects(Airport.self).where(row.query))
        let cells = [row.swift(in: source), row.text, sql].map {
          "`" + $0.replacing("|", with: "\\|") + "`"
        }
        page += "| \(row.what) | \(cells.joined(separator: " | ")) |\n"
      }
      page += "\n"
    }
    return page
  }

  /// Returns the SQL of results after the table of the class.
  static func condition(of results: Results<Airport>) -> String {
    let lines = results.explain().split(separator: "\n", omittingEmptySubsequences: false)
    let sql = lines.first { $0.hasPrefix("SELECT ") } ?? ""
    guard let from = sql.range(of: "FROM \"Airport\" t") else { return String(sql) }
    let rest = String(sql[from.upperBound...])
    let order = rest.range(of: " ORDER BY ", options: .backwards)?.lowerBound ?? rest.endIndex
    return rest[..<order].trimmingCharacters(in: .whitespaces)
  }
}
