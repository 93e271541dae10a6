import Atoll
import CBenchmarkSQLite
import Foundation

/// The cost of queries beside the search itself: reading text, building from closures, compiling.
///
/// The figures are of a thousand queries each, so that milliseconds are microseconds a query. Where a
/// query is run, on a file without an object, the other side is what the target allows and besides
/// what SQLite itself takes for the same statements through the C API.
struct QueryRows {
  private static let count = 1000
  private let scratch: Scratch
  /// Without an object, so that running a query is next to nothing.
  private let store: Store
  /// The same file through the C API.
  private let same: RawSQLite

  init() throws {
    scratch = try Scratch()
    store = try openStore(scratch.file("empty.atoll"))
    same = try RawSQLite(scratch.file("empty.atoll"))
  }

  var rows: [Benchmark] {
    [
      row("1,000 queries made from text", target: 20) { index in
        _ = clubs.filter("count > %@ AND name BEGINSWITH %@", index, "Club")
      },
      row("1,000 queries made from closures", target: 20) { index in
        _ = clubs.where { $0.count > index && $0.name.starts(with: "Club") }
      },
      Benchmark(
        name: "1,000 queries of new forms from text, compiled, run on nothing",
        peer: "20 ms, and SQLite's own compiling", target: 1,
        ours: { try newForms { clubs, form in clubs.filter(form.text, form.number, 3, 4) } },
        theirs: { try newStatements() + 20 }),
      Benchmark(
        name: "1,000 queries of new forms from closures, compiled, run on nothing",
        peer: "20 ms, and SQLite's own compiling", target: 1,
        ours: { try newForms { clubs, form in clubs.where { form.condition($0) } } },
        theirs: { try newStatements() + 20 }),
      Benchmark(
        name: "1,000 queries of one form, compiled before, run on nothing",
        peer: "2 ms, and a kept statement", target: 1, ours: knownForm,
        theirs: { try keptStatement() + 2 }),
    ]
  }

  private var clubs: Results<FlatClub> { store.objects(FlatClub.self) }

  private func row(
    _ name: String, target: Double, _ body: @escaping (Int) -> Void
  ) -> Benchmark {
    Benchmark(
      name: name, peer: "target, ms", target: 1,
      ours: { milliseconds { for index in 0..<Self.count { body(index) } } },
      theirs: { target })
  }
}

// MARK: - New forms

extension QueryRows {
  /// One of a thousand conditions; no two of them in a row are of one form.
  private struct Form {
    let number: Int
    let text: String

    init(number: Int) {
      self.number = number
      func sign(_ divisor: Int) -> String { Self.signs[number / divisor % 6] }
      let property = ["pk", "count", "latitude", "longitude"][number % 4]
      text = "\(property) \(sign(4)) %@ AND pk \(sign(24)) %@ OR count \(sign(144)) %@"
    }

    private static let signs = ["==", "!=", "<", "<=", ">", ">="]

    private func sign(_ divisor: Int) -> String { Self.signs[number / divisor % 6] }

    func condition(_ club: Query<FlatClub>) -> Query<Bool> {
      let first =
        switch number % 4 {
        case 0: Self.compare(club.pk, sign(4), number)
        case 1: Self.compare(club.count, sign(4), number)
        case 2: Self.compare(club.latitude, sign(4), Double(number))
        default: Self.compare(club.longitude, sign(4), Double(number))
        }
      return first && Self.compare(club.pk, sign(24), 3)
        || Self.compare(club.count, sign(144), 4)
    }

    private static func compare(_ way: Query<Int>, _ sign: String, _ value: Int) -> Query<Bool> {
      switch sign {
      case "==": way == value
      case "!=": way != value
      case "<": way < value
      case "<=": way <= value
      case ">": way > value
      default: way >= value
      }
    }

    private static func compare(
      _ way: Query<Double>, _ sign: String, _ value: Double
    ) -> Query<Bool> {
      switch sign {
      case "==": way == value
      case "!=": way != value
      case "<": way < value
      case "<=": way <= value
      case ">": way > value
      default: way >= value
      }
    }
  }

  /// A file of its own each time, which has compiled none of them.
  private func newForms(
    _ query: (Results<FlatClub>, Form) -> Results<FlatClub>
  ) throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch.file("empty.atoll"))
    let clubs = store.objects(FlatClub.self)
    let forms = (0..<Self.count).map { Form(number: $0) }
    return milliseconds {
      for form in forms { precondition(query(clubs, form).first == nil) }
    }
  }

  /// The statements of all forms, prepared and run.
  private func newStatements() throws -> Double {
    let statements = (0..<Self.count).map { number in
      sql(of: clubs.where { Form(number: number).condition($0) }.prefix(1))
    }
    return try milliseconds {
      for sql in statements {
        let statement = try same.prepare(sql)
        for parameter in 1...5 { sqlite3_bind_int64(statement, Int32(parameter), 1) }
        precondition(sqlite3_step(statement) == SQLITE_DONE)
        sqlite3_finalize(statement)
      }
    }
  }
}

// MARK: - A form that is known

extension QueryRows {
  private func knownForm() -> Double {
    let queries = (0..<Self.count).map { index in
      clubs.where { $0.count > index && $0.name.starts(with: "Club") }
    }
    return milliseconds { for query in queries { precondition(query.first == nil) } }
  }

  private func keptStatement() throws -> Double {
    let statement = try same.prepare(
      sql(of: clubs.where { $0.count > 1 && $0.name.starts(with: "Club") }.prefix(1)))
    defer { sqlite3_finalize(statement) }
    return milliseconds {
      for index in 0..<Self.count {
        sqlite3_bind_int64(statement, 1, Int64(index))
        sqlite3_bind_text(statement, 2, "Club", -1, transient)
        sqlite3_bind_text(statement, 3, "Cluc", -1, transient)
        sqlite3_bind_int64(statement, 4, 1)
        sqlite3_bind_int64(statement, 5, 0)
        precondition(sqlite3_step(statement) == SQLITE_DONE)
        sqlite3_reset(statement)
      }
    }
  }
}
