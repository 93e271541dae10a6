import Atoll
import CBenchmarkSQLite
import Foundation
import GRDB

/// Rows that time inserts and deletions, each in a fresh file.
struct InsertRows {
  let workload: Workload

  var rows: [Benchmark] {
    [
      Benchmark(
        name: "insert, one transaction", peer: "raw SQLite", target: 2.2,
        ours: { try ours(workload.clubs, perTransaction: workload.clubs.count) },
        theirs: { try raw(workload.clubs, perTransaction: workload.clubs.count) }),
      Benchmark(
        name: "insert, one transaction", peer: "GRDB", target: 0.4,
        ours: { try ours(workload.clubs, perTransaction: workload.clubs.count) },
        theirs: { try grdb(workload.clubs) }),
      Benchmark(
        name: "insert, one transaction, projected URL and coordinate", peer: "raw SQLite",
        target: nil, ours: projected,
        theirs: { try raw(workload.clubs, perTransaction: workload.clubs.count) }),
      Benchmark(
        name: "insert, 1,000 a transaction", peer: "raw SQLite", target: 2.2,
        ours: { try ours(workload.clubs, perTransaction: 1000) },
        theirs: { try raw(workload.clubs, perTransaction: 1000) }),
      Benchmark(
        name: "insert, one a transaction (2,000)", peer: "raw SQLite", target: 1.25,
        ours: { try ours(Array(workload.clubs.prefix(2000)), perTransaction: 1) },
        theirs: { try raw(Array(workload.clubs.prefix(2000)), perTransaction: 1) }),
      Benchmark(
        name: "delete every object, one transaction", peer: "raw SQLite", target: nil,
        ours: delete, theirs: rawDelete),
      Benchmark(
        name: "delete every object, one transaction", peer: "GRDB", target: nil,
        ours: delete, theirs: grdbDelete),
      Benchmark(
        name: "insert, one transaction, into a file that refuses foreign SQL",
        peer: "Atoll, triggers dropped", target: 1.05,
        ours: { try guarded(true) }, theirs: { try guarded(false) }),
    ]
  }

  private func ours(_ clubs: [ClubValues], perTransaction: Int) throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch.file("ours.atoll"))
    return try milliseconds { try store.insertFlat(clubs, perTransaction: perTransaction) }
  }

  /// Our own inserts, with and without the triggers that others' SQL meets.
  private func guarded(_ isGuarded: Bool) throws -> Double {
    let scratch = try Scratch()
    let url = scratch.file("ours.atoll")
    try openStore(url).close()
    let database = try RawSQLite(url)
    let triggers = try database.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    guard !triggers.isEmpty else { throw RawSQLiteError(description: "there are no triggers") }
    for name in triggers where !isGuarded { try database.execute("DROP TRIGGER \"\(name)\"") }
    let store = try openStore(url)
    return try milliseconds {
      try store.insertFlat(workload.clubs, perTransaction: workload.clubs.count)
    }
  }

  private func projected() throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch.file("ours.atoll"))
    return try milliseconds {
      try store.write { for club in workload.clubs { store.add(Club(club)) } }
    }
  }

  private func raw(_ clubs: [ClubValues], perTransaction: Int) throws -> Double {
    let scratch = try Scratch()
    let database = try RawSQLite(scratch.file("raw.sqlite"))
    try database.createClubs()
    return try milliseconds { try database.insert(clubs, perTransaction: perTransaction) }
  }

  private func grdb(_ clubs: [ClubValues]) throws -> Double {
    let scratch = try Scratch()
    let pool = try GRDBClub.open(scratch.file("grdb.sqlite"))
    return try milliseconds {
      try pool.write { database in for club in clubs { try GRDBClub(club).insert(database) } }
    }
  }

  private func delete() throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch.file("ours.atoll"))
    try store.insertFlat(workload.clubs, perTransaction: workload.clubs.count)
    return try milliseconds { try store.write { store.delete(store.objects(FlatClub.self)) } }
  }

  /// Each by its key, as an application that goes through them does.
  private func rawDelete() throws -> Double {
    let scratch = try Scratch()
    let database = try RawSQLite(scratch.file("raw.sqlite"))
    try database.createClubs()
    try database.insert(workload.clubs, perTransaction: workload.clubs.count)
    let statement = try database.prepare("DELETE FROM club WHERE pk = ?")
    defer { sqlite3_finalize(statement) }
    return try milliseconds {
      try database.execute("BEGIN IMMEDIATE")
      for club in workload.clubs {
        sqlite3_bind_int64(statement, 1, Int64(club.pk))
        try database.run(statement)
      }
      try database.execute("COMMIT")
    }
  }

  private func grdbDelete() throws -> Double {
    let scratch = try Scratch()
    let pool = try GRDBClub.open(scratch.file("grdb.sqlite"))
    try pool.write { database in
      for club in workload.clubs { try GRDBClub(club).insert(database) }
    }
    return try milliseconds {
      try pool.write { database in
        for club in try GRDBClub.fetchAll(database) { try club.delete(database) }
      }
    }
  }
}
