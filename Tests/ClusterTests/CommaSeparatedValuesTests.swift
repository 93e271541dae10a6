import Foundation
import TestKit
import Testing

@testable import AtollCluster

@Suite struct CommaSeparatedValuesTests {
  @Test(arguments: [
    ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
    ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
    ("\"a,\"\"b\"\"\",\"c\nd\"\n", [["a,\"b\"", "c\nd"]]),
    (",\n\"\",x\n", [["", ""], ["", "x"]]),
    ("\"open", [["open"]]),
    ("", []),
  ])
  func `rows and fields are read exactly`(text: String, rows: [[String]]) {
    #expect(Array(CommaSeparatedValues(Data(text.utf8))) == rows)
  }

  @Test func `a row that is no airport is refused with its number`() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("airports.csv")
    let heading = "icao,iata,name,country,elevation,lat,lon,tz\n"
    try (heading + "AAAA,,A,CH,1,2,3,UTC\nBBBB,,B,CH,high,2,3,UTC\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: ClusterError.self) { try AirportTable(path: path) }
    #expect(error?.description.contains("row 3 is not an airport: BBBB,") ?? false)
    #expect(try AirportTable(path: path, limit: 1).records.map(\.icao) == ["AAAA"])
  }
}
