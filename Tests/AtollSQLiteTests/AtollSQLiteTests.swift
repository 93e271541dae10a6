import AtollSQLite
import AtollVocabulary
import Foundation
import TestKit
import Testing

@Suite struct `values in columns` {
  private let connection: Connection

  init() throws { connection = try Connection(path: ":memory:", access: .readWrite) }

  private static let values: [PersistedValue] = [
    .bool(false), .bool(true), .int(.min), .int(0), .int(.max),
    .float(0), .float(-0.0), .float(.nan), .float(.infinity), .float(0.1),
    .float(.leastNonzeroMagnitude), .double(0), .double(-0.0), .double(.nan),
    .double(-.infinity), .double(1), .double(0.1), .double(.leastNonzeroMagnitude),
    .string(""), .string("a\0b"), .string("\0"), .string("e\u{301}"), .string("\u{1F600}"),
    .data([]), .data([0]), .data([0xFF, 0, 0x80]), .date(0), .date(-0.0), .date(1e-9),
    .date(.nan), .uuid(UniqueBytes(high: .max, low: 1)), .objectId(ObjectId(high: 1, low: .max)),
    .identity(
      ChangeIdentity(
        author: Author(
          replica: ReplicaID(high: .max, low: 2), incarnation: Incarnation(3)),
        sequence: SequenceNumber(4), index: .max)),
  ]

  @Test(arguments: values)
  func `a value comes back as it went in`(value: PersistedValue) throws {
    let type = try #require(value.type)
    try connection.execute("CREATE TABLE t (v \(Statement.declaredType(type)))")
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    insert.bind(value, at: 1)
    try insert.run()
    let select = try connection.prepare("SELECT v FROM t")
    #expect(try select.step())
    #expect(select.value(type, at: 0) == value)
  }

  @Test func `null comes back as null from a column of any type`() throws {
    let select = try connection.prepare("SELECT NULL")
    #expect(try select.step())
    for type in PersistedType.allCases { #expect(select.value(type, at: 0) == .null) }
  }

  @Test func `not a number is after every number, and minus zero equals zero`() throws {
    try connection.execute("CREATE TABLE t (v)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    for number in [Double.nan, .infinity, -0.0, -1] {
      insert.bind(number, at: 1)
      try insert.run()
    }
    let sorted = try connection.prepare("SELECT v FROM t ORDER BY v")
    var numbers: [Double] = []
    while try sorted.step() { numbers.append(sorted.double(at: 0)) }
    #expect(numbers.dropLast() == [-1, 0, .infinity])
    #expect(numbers.last?.isNaN == true)
    #expect(try connection.integer("SELECT count(*) FROM t WHERE v = 0") == 1)
  }
}

@Suite struct `connections` {
  @Test func `a file that is gone is not made again`() {
    let folder = TemporaryFolder()
    let path = folder.file("gone.sqlite").path
    for access in [Connection.Access.readOnly, .readWrite] {
      let error = #expect(throws: SQLiteError.self) { try Connection(path: path, access: access) }
      #expect(error?.code.primary == .cantOpen)
      #expect(FileFacts(path: path) == nil)
    }
  }

  @Test func `an error has the code, the words of SQLite and the statement`() throws {
    let connection = try Connection(path: ":memory:", access: .readWrite)
    let error = #expect(throws: SQLiteError.self) { try connection.execute("SELEKT 1") }
    #expect(error?.code.primary == SQLiteError.Code(1))
    #expect(
      error?.description
        == #"SQLite error 1: near "SELEKT": syntax error, running "SELEKT 1""#)
  }

  @Test func `a constraint is told apart from other failures`() throws {
    let connection = try Connection(path: ":memory:", access: .readWrite)
    try connection.execute("CREATE TABLE t (v UNIQUE)")
    let insert = try connection.prepare("INSERT INTO t VALUES (1)")
    #expect(try insert.runUnlessConstrained())
    #expect(try !insert.runUnlessConstrained())
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `a failed bind is thrown by the next step`() throws {
    let connection = try Connection(path: ":memory:", access: .readWrite)
    let select = try connection.prepare("SELECT ?")
    select.bind(Int64(1), at: 2)
    #expect(throws: SQLiteError.self) { try select.step() }
    select.bind(Int64(1), at: 1)
    #expect(try select.step())
  }

  @Test func `triggers fire only where they are asked for`() throws {
    let sql = """
      CREATE TABLE t (v);
      CREATE TRIGGER refuse BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'refused'); END;
      INSERT INTO t VALUES (1)
      """
    let quiet = try Connection(path: ":memory:", access: .readWrite)
    try quiet.execute(sql)
    let loud = try Connection(path: ":memory:", access: .readWrite, firesTriggers: true)
    let error = #expect(throws: SQLiteError.self) { try loud.execute(sql) }
    #expect(error?.message == "refused")
  }

  @Test func `an empty statement is an error and not a trap`() throws {
    let connection = try Connection(path: ":memory:", access: .readWrite)
    #expect(throws: SQLiteError.self) { _ = try connection.prepare("") }
  }
}
