import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

@Suite struct `what is not Atoll's in a file` {
  /// SQL that a person or another program may run on a store, and what the refusal names.
  static let additions: [(sql: String, named: String)] = [
    (
      "CREATE VIEW seen AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n",
      "the view \"seen\""
    ),
    ("CREATE TABLE mine (a)", "the table \"mine\""),
    ("CREATE VIRTUAL TABLE words USING fts5(a)", "the virtual table \"words\""),
    ("CREATE VIRTUAL TABLE atoll_text_900 USING fts5(a)", "the virtual table \"atoll_text_900\""),
    ("CREATE VIRTUAL TABLE boxes USING rtree(id, a, b)", "the virtual table \"boxes\""),
    ("CREATE INDEX quick ON Document (n)", "the index \"quick\""),
    (
      "CREATE TRIGGER \"refuse insert Document 2\" AFTER INSERT ON Document BEGIN SELECT 1; END",
      "the trigger \"refuse insert Document 2\""
    ),
    (
      "ALTER TABLE Document ADD COLUMN twice AS (n * 2)",
      "the computed column \"Document.twice\""
    ),
    (
      "ALTER TABLE atoll_log ADD COLUMN twice GENERATED ALWAYS AS (position * 2) VIRTUAL",
      "the computed column \"atoll_log.twice\""
    ),
    (
      """
      DROP TABLE atoll_held; CREATE VIEW atoll_held AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
      SELECT i + 1 FROM n) SELECT i AS author, i AS sequence, i AS position, i AS time, i AS size, i AS
      hash, i AS declared FROM n
      """, "the view \"atoll_held\""
    ),
  ]

  @Test(arguments: additions.indices)
  func `issue 28.11: a file with something foreign in its schema is refused by name`(index: Int)
    throws
  {
    let (sql, named) = Self.additions[index]
    let store = try TestStore()
    try store.create(1)
    store.file.close()
    let foreign = try Connection(path: store.path, access: .readWrite)
    try foreign.execute(sql)
    foreign.close()
    let error = #expect(throws: StorageError.self) { try StoreFile.open(store.path) }
    let text = "\(String(describing: error))"
    #expect(text.contains(named), "\(text)")
    #expect(text.contains("DROP "), "\(text)")
    #expect(throws: StorageError.self) {
      try StoreFile.open(store.path, options: StoreOptions(isReadOnly: true))
    }
  }

  @Test func `issue 28.11: indexes of every kind, statistics and keys named late are Atoll's own`()
    throws
  {
    let model = [
      ClassSchema(
        name: "Point", isEmbedded: true,
        properties: [
          PropertySchema(name: "type", type: .string),
          PropertySchema(name: "coordinates", type: .double, collection: .list),
        ]),
      ClassSchema(
        name: "Odd \"name\" of.a 'class'", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int),
          PropertySchema(name: "text", type: .string, index: .fullText),
          PropertySchema(name: "where", type: .embedded, index: .spatial, target: "Point"),
          PropertySchema(name: "n \"AS (x)\"", type: .int, index: .value),
          PropertySchema(name: "any", type: .any),
          PropertySchema(name: "s", type: .int, collection: .set),
          PropertySchema(name: "m", type: .int, collection: .map),
          PropertySchema(
            name: "links", type: .link, collection: .list, target: "Odd \"name\" of.a 'class'"),
        ]),
    ]
    let store = try TestStore(model: model)
    store.file.close()
    let shell = try Connection(path: store.path, access: .readWrite)
    try shell.execute("ANALYZE")
    shell.close()
    let again = try StoreFile.open(store.path)
    #expect(try again.adopt(model).count == 2)
    again.close()
  }
}
