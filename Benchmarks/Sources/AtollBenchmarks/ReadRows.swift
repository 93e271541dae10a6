import Atoll
import CBenchmarkSQLite
import Foundation
import GRDB

/// Rows that read and update one filled file a side.
final class ReadRows {
  private let workload: Workload
  private let scratch: Scratch
  private let store: Store
  private let raw: RawSQLite
  /// Our own file through the C API, as we open it.
  private let same: RawSQLite
  private let grdb: DatabasePool
  private static let updates = 10_000

  init(workload: Workload) throws {
    self.workload = workload
    scratch = try Scratch()
    store = try openStore(scratch.file("ours.atoll"))
    try store.insertFlat(workload.clubs, perTransaction: workload.clubs.count)
    same = try RawSQLite(scratch.file("ours.atoll"))
    try same.execute("PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824")
    raw = try RawSQLite(scratch.file("raw.sqlite"))
    try raw.createClubs()
    try raw.insert(workload.clubs, perTransaction: workload.clubs.count)
    grdb = try GRDBClub.open(scratch.file("grdb.sqlite"))
    try grdb.write { database in
      for club in workload.clubs { try GRDBClub(club).insert(database) }
    }
  }

  var rows: [Benchmark] {
    [
      Benchmark(
        name: "lookup by key, random", peer: "raw SQLite", target: 2, ours: oursLookup,
        theirs: rawLookup),
      Benchmark(
        name: "lookup by key, random", peer: "GRDB", target: 0.2, ours: oursLookup,
        theirs: grdbLookup),
      Benchmark(
        name: "filter, unindexed string equality", peer: "the same SQL on our file", target: 1.1,
        ours: { self.oursCount(1) { $0.url == self.wantedURL } },
        theirs: { try self.rawCount("url = ?1", binding: self.wantedURL) }),
      Benchmark(
        name: "filter, unindexed range", peer: "the same SQL on our file", target: 1.1,
        ours: { self.oursCount { $0.latitude >= 10 && $0.latitude < 20 } },
        theirs: { try self.rawCount("latitude >= 10.0 AND latitude < 20.0") }),
      Benchmark(
        name: "sum, average, least and greatest of a property", peer: "the same SQL on our file",
        target: 1.1, ours: oursAggregates, theirs: rawAggregates),
      Benchmark(
        name: "filter, indexed, 1,000 queries", peer: "raw SQLite", target: 2,
        ours: oursIndexed, theirs: rawIndexed),
      Benchmark(
        name: "first 100 by name, indexed, 100 times", peer: "the same SQL on our file",
        target: 1.5,
        ours: oursFirst100, theirs: sameFirst100),
      Benchmark(
        name: "first 100 by name, indexed, 100 times", peer: "raw SQLite", target: nil,
        ours: oursFirst100, theirs: rawFirst100),
      Benchmark(
        name: "read one property of every object", peer: "raw SQLite, all columns", target: 1.5,
        ours: oursRead, theirs: rawRead),
      Benchmark(
        name: "read one property of every object", peer: "GRDB", target: nil, ours: oursRead,
        theirs: grdbRead),
      Benchmark(
        name: "update one property of 10,000 objects", peer: "raw SQLite", target: 1.5,
        ours: oursUpdate, theirs: rawUpdate),
    ]
  }

  private var wantedURL: String { workload.clubs[workload.clubs.count / 2].url }
  private var keys: [Int] { workload.shuffledKeys }
  private var updatedKeys: ArraySlice<Int> { keys.prefix(Self.updates) }
}

// MARK: - Lookup

extension ReadRows {
  private func oursLookup() -> Double {
    var sum = 0
    let time = milliseconds {
      for key in keys {
        sum &+= store.object(ofType: FlatClub.self, forPrimaryKey: key)?.count ?? 0
      }
    }
    check(sum)
    return time
  }

  private func rawLookup() throws -> Double {
    let statement = try raw.prepare(
      "SELECT pk, name, url, latitude, longitude, count FROM club WHERE pk = ?")
    defer { sqlite3_finalize(statement) }
    var sum = 0
    let time = try milliseconds {
      try raw.execute("BEGIN")
      for key in keys {
        sqlite3_bind_int64(statement, 1, Int64(key))
        if sqlite3_step(statement) == SQLITE_ROW {
          _ = text(statement, 1)
          _ = text(statement, 2)
          sum &+= Int(sqlite3_column_int64(statement, 5))
        }
        sqlite3_reset(statement)
      }
      try raw.execute("COMMIT")
    }
    check(sum)
    return time
  }

  private func grdbLookup() throws -> Double {
    var sum = 0
    let time = try milliseconds {
      try grdb.read { database in
        for key in keys { sum &+= try GRDBClub.fetchOne(database, key: key)?.count ?? 0 }
      }
    }
    check(sum)
    return time
  }

  /// Both sides must have found the same objects.
  private func check(_ sum: Int) {
    let expected = keys.reduce(0) { $0 &+ workload.clubs[$1].count }
    precondition(sum == expected, "a lookup found other objects than were inserted")
  }
}

// MARK: - Filters

extension ReadRows {
  private func oursCount(
    _ expected: Int? = nil, _ isIncluded: (Query<FlatClub>) -> Query<Bool>
  ) -> Double {
    milliseconds {
      let count = store.objects(FlatClub.self).where(isIncluded).count
      precondition(count == expected ?? count && count > 0, "the filter found \(count) objects")
    }
  }

  private func rawCount(_ condition: String, binding text: String? = nil) throws -> Double {
    let statement = try same.prepare("SELECT count(*) FROM FlatClub WHERE \(condition)")
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      if let text { sqlite3_bind_text(statement, 1, text, -1, transient) }
      sqlite3_step(statement)
      precondition(sqlite3_column_int64(statement, 0) > 0)
    }
  }

  private func oursAggregates() -> Double {
    milliseconds {
      let clubs = store.objects(FlatClub.self)
      let sum: Int = clubs.sum(of: \.count)
      let average: Double? = clubs.average(ofProperty: "count")
      let (least, greatest) = (clubs.min(of: \.count), clubs.max(of: \.count))
      precondition(sum > 0 && average != nil && least != nil && greatest != nil)
    }
  }

  private func rawAggregates() throws -> Double {
    let statements = try ["sum", "avg", "min", "max"].map {
      try same.prepare("SELECT \($0)(count) FROM FlatClub")
    }
    defer { for statement in statements { sqlite3_finalize(statement) } }
    return milliseconds {
      for statement in statements {
        sqlite3_step(statement)
        precondition(sqlite3_column_type(statement, 0) != SQLITE_NULL)
      }
    }
  }

  private func oursIndexed() -> Double {
    milliseconds {
      for key in workload.shuffledKeys.prefix(1000) {
        let name = workload.clubs[key].name
        precondition(store.objects(FlatClub.self).where { $0.name == name }.count > 0)
      }
    }
  }

  private func rawIndexed() throws -> Double {
    let statement = try raw.prepare("SELECT count(*) FROM club WHERE name = ?1")
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      for key in workload.shuffledKeys.prefix(1000) {
        workload.clubs[key].name.withCString { name in
          sqlite3_bind_text(statement, 1, name, -1, nil)
          sqlite3_step(statement)
        }
        precondition(sqlite3_column_int64(statement, 0) > 0)
        sqlite3_reset(statement)
      }
    }
  }

  private func oursFirst100() -> Double {
    milliseconds {
      var length = 0
      for _ in 0..<Self.repetitions {
        for club in store.objects(FlatClub.self).sorted(by: \.name).prefix(100) {
          length += club.name.utf8.count
        }
      }
      precondition(length > 0)
    }
  }

  private func sameFirst100() throws -> Double {
    let first = store.objects(FlatClub.self).sorted(by: \.name).prefix(100)
    let statement = try same.prepare(sql(of: first))
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      sqlite3_bind_int64(statement, 1, 100)
      sqlite3_bind_int64(statement, 2, 0)
      var length = 0
      for _ in 0..<Self.repetitions {
        while sqlite3_step(statement) == SQLITE_ROW { length += text(statement, 3).utf8.count }
        sqlite3_reset(statement)
      }
      precondition(length > 0)
    }
  }

  private func rawFirst100() throws -> Double {
    let statement = try raw.prepare(
      "SELECT pk, name, url, latitude, longitude, count FROM club ORDER BY name LIMIT 100")
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      var length = 0
      for _ in 0..<Self.repetitions {
        while sqlite3_step(statement) == SQLITE_ROW { length += text(statement, 1).utf8.count }
        sqlite3_reset(statement)
      }
      precondition(length > 0)
    }
  }

  /// So short a query is timed many times over.
  private static let repetitions = 100
}

// MARK: - Whole table

extension ReadRows {
  private func oursRead() -> Double {
    milliseconds {
      var length = 0
      for club in store.objects(FlatClub.self) { length += club.name.utf8.count }
      precondition(length > 0)
    }
  }

  private func rawRead() throws -> Double {
    let statement = try raw.prepare(
      "SELECT pk, name, url, latitude, longitude, count FROM club")
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      var length = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        let club = ClubValues(
          pk: Int(sqlite3_column_int64(statement, 0)), name: text(statement, 1),
          url: text(statement, 2), latitude: sqlite3_column_double(statement, 3),
          longitude: sqlite3_column_double(statement, 4),
          count: Int(sqlite3_column_int64(statement, 5)))
        length += club.name.utf8.count
      }
      precondition(length > 0)
    }
  }

  private func grdbRead() throws -> Double {
    try milliseconds {
      var length = 0
      try grdb.read { database in
        let clubs = try GRDBClub.fetchCursor(database)
        while let club = try clubs.next() { length += club.name.utf8.count }
      }
      precondition(length > 0)
    }
  }

  private func oursUpdate() throws -> Double {
    try milliseconds {
      try store.write {
        for key in updatedKeys {
          let club = store.object(ofType: FlatClub.self, forPrimaryKey: key)
          club?.count = workload.clubs[key].count
        }
      }
    }
  }

  private func rawUpdate() throws -> Double {
    let statement = try raw.prepare("UPDATE club SET count = ?1 WHERE pk = ?2")
    defer { sqlite3_finalize(statement) }
    return try milliseconds {
      try raw.execute("BEGIN IMMEDIATE")
      for key in updatedKeys {
        sqlite3_bind_int64(statement, 1, Int64(workload.clubs[key].count))
        sqlite3_bind_int64(statement, 2, Int64(key))
        sqlite3_step(statement)
        sqlite3_reset(statement)
      }
      try raw.execute("COMMIT")
    }
  }
}
