import Atoll
import CBenchmarkSQLite
import Foundation

/// A model with one long list.
final class Series: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted var numbers: List<Int>
}

/// Rows about one list of as many elements as there are objects elsewhere.
///
/// Raw SQLite has a table of (owner, place, value) with a unique index over owner and place. Its
/// place is a number that the program computes, so an element is found by its index as long as
/// nothing is inserted; nothing of it would merge.
final class ListRows {
  private let count: Int
  private let indices: [Int]
  private static let reads = 10_000
  private static let insertions = 1000

  init(workload: Workload) {
    count = workload.clubs.count
    indices = Array(workload.shuffledKeys.prefix(Self.reads))
  }

  var rows: [Benchmark] {
    [
      Benchmark(
        name: "list, append in bulk", peer: "raw SQLite", target: nil, ours: oursAppend,
        theirs: rawAppend),
      Benchmark(
        name: "list, 10,000 reads by random index, first touch included", peer: "raw SQLite",
        target: nil, ours: oursRead, theirs: rawRead),
      Benchmark(
        name: "list, 1,000 insertions in the middle, first touch included", peer: "raw SQLite",
        target: nil, ours: oursInsert, theirs: rawInsert),
      Benchmark(
        name: "unmanaged list, append one by one", peer: "Array", target: nil,
        ours: unmanagedAppend, theirs: arrayAppend),
      Benchmark(
        name: "unmanaged list, 1,000 insertions in the middle", peer: "Array", target: nil,
        ours: unmanagedInsert, theirs: arrayInsert),
    ]
  }

  // MARK: Managed

  /// A store of its own, kept by `scratch`, with an empty list.
  private func open(_ scratch: Scratch) throws -> (Store, List<Int>) {
    let store = try Store(
      configuration: Store.Configuration(
        fileURL: scratch.file("ours.atoll"), objectTypes: [Series.self]))
    return (store, try store.write { store.create(Series.self) }.numbers)
  }

  private func oursAppend() throws -> Double {
    let scratch = try Scratch()
    let (store, list) = try open(scratch)
    return try milliseconds { try store.write { list.append(objectsIn: 0..<count) } }
  }

  private func oursRead() throws -> Double {
    let scratch = try Scratch()
    let (store, list) = try open(scratch)
    try store.write { list.append(objectsIn: 0..<count) }
    var sum = 0
    let time = milliseconds { for index in indices { sum &+= list[index] } }
    precondition(sum == indices.reduce(0, &+))
    return time
  }

  private func oursInsert() throws -> Double {
    let scratch = try Scratch()
    let (store, list) = try open(scratch)
    try store.write { list.append(objectsIn: 0..<count) }
    return try milliseconds {
      try store.write { for number in 0..<Self.insertions { list.insert(number, at: count / 2) } }
    }
  }

  // MARK: Raw

  private func openRaw(_ scratch: Scratch) throws -> RawSQLite {
    let database = try RawSQLite(scratch.file("raw.sqlite"))
    try database.execute(
      """
      CREATE TABLE number (id INTEGER PRIMARY KEY, owner INTEGER, place REAL, value INTEGER,
        UNIQUE (owner, place))
      """)
    return database
  }

  private func insert(
    _ places: some Sequence<Double>, into database: RawSQLite
  ) throws {
    let statement = try database.prepare(
      "INSERT INTO number (owner, place, value) VALUES (1, ?, ?)")
    defer { sqlite3_finalize(statement) }
    try database.execute("BEGIN IMMEDIATE")
    for (value, place) in places.enumerated() {
      sqlite3_bind_double(statement, 1, place)
      sqlite3_bind_int64(statement, 2, Int64(value))
      guard sqlite3_step(statement) == SQLITE_DONE else {
        throw RawSQLiteError(description: String(cString: sqlite3_errmsg(database.handle)))
      }
      sqlite3_reset(statement)
    }
    try database.execute("COMMIT")
  }

  private func rawAppend() throws -> Double {
    let scratch = try Scratch()
    let database = try openRaw(scratch)
    return try milliseconds { try insert((0..<count).map { Double($0) }, into: database) }
  }

  private func rawRead() throws -> Double {
    let scratch = try Scratch()
    let database = try openRaw(scratch)
    try insert((0..<count).map { Double($0) }, into: database)
    let statement = try database.prepare("SELECT value FROM number WHERE owner = 1 AND place = ?")
    defer { sqlite3_finalize(statement) }
    var sum = 0
    let time = milliseconds {
      for index in indices {
        sqlite3_bind_double(statement, 1, Double(index))
        if sqlite3_step(statement) == SQLITE_ROW {
          sum &+= Int(sqlite3_column_int64(statement, 0))
        }
        sqlite3_reset(statement)
      }
    }
    precondition(sum == indices.reduce(0, &+))
    return time
  }

  private func rawInsert() throws -> Double {
    let scratch = try Scratch()
    let database = try openRaw(scratch)
    try insert((0..<count).map { Double($0) }, into: database)
    let start = Double(count / 2)
    return try milliseconds {
      try insert((1...Self.insertions).map { start + Double($0) / 4096 }, into: database)
    }
  }

  // MARK: Unmanaged

  private func unmanagedAppend() -> Double {
    let list = List<Int>()
    return milliseconds { for number in 0..<count { list.append(number) } }
  }

  private func arrayAppend() -> Double {
    var array: [Int] = []
    let time = milliseconds { for number in 0..<count { array.append(number) } }
    precondition(array.count == count)
    return time
  }

  private func unmanagedInsert() -> Double {
    let list = List(0..<count)
    return milliseconds {
      for number in 0..<Self.insertions { list.insert(number, at: count / 2) }
    }
  }

  private func arrayInsert() -> Double {
    var array = Array(0..<count)
    let time = milliseconds {
      for number in 0..<Self.insertions { array.insert(number, at: count / 2) }
    }
    precondition(array.count == count + Self.insertions)
    return time
  }
}
