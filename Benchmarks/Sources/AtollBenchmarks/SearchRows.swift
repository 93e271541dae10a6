import Atoll
import CBenchmarkSQLite
import Foundation

final class SearchedClub: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted(indexed: .fullText) var name: String
  @Persisted var url: String
}

final class BenchmarkPoint: EmbeddedObject {
  @Persisted var type: String = "Point"
  @Persisted var coordinates: List<Double>
}

final class PlacedClub: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted(indexed: .spatial) var place: BenchmarkPoint?
}

/// The cost of the indexes of words and of places when objects are inserted.
struct SearchRows {
  private let clubs: ArraySlice<ClubValues>

  init(workload: Workload) { clubs = workload.clubs.prefix(20_000) }

  var rows: [Benchmark] {
    [
      Benchmark(
        name: "insert 20,000 with a full-text index", peer: "raw SQLite, FTS5", target: nil,
        ours: oursOfWords, theirs: rawOfWords),
      Benchmark(
        name: "insert 20,000 with a spatial index", peer: "raw SQLite, R*Tree", target: nil,
        ours: oursOfPlaces, theirs: rawOfPlaces),
    ]
  }

  private func openStore(_ scratch: Scratch, _ types: [ObjectBase.Type]) throws -> Store {
    try Store(
      configuration: .init(fileURL: scratch.file("ours.atoll"), objectTypes: types))
  }

  private func oursOfWords() throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch, [SearchedClub.self])
    return try milliseconds {
      try store.write {
        for values in clubs {
          let club = SearchedClub()
          (club.pk, club.name, club.url) = (values.pk, values.name, values.url)
          store.add(club)
        }
      }
    }
  }

  private func rawOfWords() throws -> Double {
    let scratch = try Scratch()
    let database = try RawSQLite(scratch.file("raw.sqlite"))
    try database.execute(
      "CREATE TABLE club (id INTEGER PRIMARY KEY, pk INTEGER UNIQUE, name TEXT, url TEXT)")
    try database.execute("CREATE VIRTUAL TABLE club_words USING fts5(words)")
    let insert = try database.prepare("INSERT INTO club VALUES (?1, ?1, ?2, ?3)")
    let index = try database.prepare("INSERT INTO club_words (rowid, words) VALUES (?1, ?2)")
    defer { for statement in [insert, index] { sqlite3_finalize(statement) } }
    return try milliseconds {
      try database.execute("BEGIN IMMEDIATE")
      for club in clubs {
        for statement in [insert, index] {
          sqlite3_bind_int64(statement, 1, Int64(club.pk + 1))
          sqlite3_bind_text(statement, 2, club.name, -1, transient)
        }
        sqlite3_bind_text(insert, 3, club.url, -1, transient)
        try database.run(insert)
        try database.run(index)
      }
      try database.execute("COMMIT")
    }
  }

  private func oursOfPlaces() throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch, [PlacedClub.self, BenchmarkPoint.self])
    return try milliseconds {
      try store.write {
        for values in clubs {
          let club = PlacedClub()
          let point = BenchmarkPoint()
          point.coordinates.append(contentsOf: [values.longitude, values.latitude])
          (club.pk, club.place) = (values.pk, point)
          store.add(club)
        }
      }
    }
  }

  /// The coordinates in a table of their own, as a list has to be.
  private func rawOfPlaces() throws -> Double {
    let scratch = try Scratch()
    let database = try RawSQLite(scratch.file("raw.sqlite"))
    try database.execute("CREATE TABLE club (id INTEGER PRIMARY KEY, pk INTEGER UNIQUE, type TEXT)")
    try database.execute("CREATE TABLE coordinate (club INTEGER, place INTEGER, value REAL)")
    try database.execute("CREATE INDEX coordinates ON coordinate (club, place)")
    try database.execute("CREATE VIRTUAL TABLE places USING rtree(id, west, east, south, north)")
    let insert = try database.prepare("INSERT INTO club VALUES (?1, ?1, 'Point')")
    let coordinate = try database.prepare("INSERT INTO coordinate VALUES (?1, ?2, ?3)")
    let index = try database.prepare("INSERT INTO places VALUES (?1, ?2, ?2, ?3, ?3)")
    defer { for statement in [insert, coordinate, index] { sqlite3_finalize(statement) } }
    return try milliseconds {
      try database.execute("BEGIN IMMEDIATE")
      for club in clubs {
        for statement in [insert, coordinate, index] {
          sqlite3_bind_int64(statement, 1, Int64(club.pk + 1))
        }
        try database.run(insert)
        for (place, value) in [club.longitude, club.latitude].enumerated() {
          sqlite3_bind_int64(coordinate, 2, Int64(place))
          sqlite3_bind_double(coordinate, 3, value)
          try database.run(coordinate)
          sqlite3_bind_double(index, Int32(place + 2), value)
        }
        try database.run(index)
      }
      try database.execute("COMMIT")
    }
  }
}
