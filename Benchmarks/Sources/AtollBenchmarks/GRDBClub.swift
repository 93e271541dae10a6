import Foundation
import GRDB

/// The club as a GRDB record, written the way its documentation does.
struct GRDBClub: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "club"

  var pk: Int
  var name: String
  var url: String
  var latitude: Double
  var longitude: Double
  var count: Int

  init(_ values: ClubValues) {
    pk = values.pk
    name = values.name
    url = values.url
    latitude = values.latitude
    longitude = values.longitude
    count = values.count
  }

  static func open(_ url: URL) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous=FULL") }
    let pool = try DatabasePool(path: url.path, configuration: configuration)
    try pool.write { database in
      try database.create(table: "club") { table in
        table.primaryKey("pk", .integer)
        table.column("name", .text).indexed()
        table.column("url", .text)
        table.column("latitude", .double)
        table.column("longitude", .double)
        table.column("count", .integer)
      }
    }
    return pool
  }
}
