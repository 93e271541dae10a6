import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// Articles with a text and a point; with indexes of them, or without.
private enum ArticleModel {
  static func classes(isIndexed: Bool) -> [ClassSchema] {
    [
      ClassSchema(
        name: "Spot", isEmbedded: true,
        properties: [
          PropertySchema(name: "type", type: .string),
          PropertySchema(name: "coordinates", type: .double, collection: .list),
        ]),
      ClassSchema(
        name: "Article", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int), PropertySchema(name: "n", type: .int),
          PropertySchema(
            name: "title", type: .string, isOptional: true, index: isIndexed ? .fullText : nil),
          PropertySchema(
            name: "spot", type: .embedded, isOptional: true, index: isIndexed ? .spatial : nil,
            target: "Spot"),
        ]),
    ]
  }
}

extension TestStore {
  fileprivate convenience init(articles name: String, isIndexed: Bool = true) throws {
    try self.init(name, model: ArticleModel.classes(isIndexed: isIndexed))
  }

  fileprivate func create(_ key: Int64, _ title: String?, at point: (Double, Double)?) throws {
    var fields = [
      NewField(property("Article", "title")[0], .scalar(title.map { .string($0) } ?? .null))
    ]
    if let point { fields.append(NewField(property("Article", "spot")[0], spot(point))) }
    _ = try file.create(self["Article"].id, key: .int(key), fields: fields)
  }

  fileprivate func spot(_ point: (Double, Double)) -> NewValue {
    let numbers = [point.0, point.1].map { NewValue.scalar(.double($0)) }
    return .embedded([
      NewField(property("Spot", "type")[0], .scalar(.string("Point"))),
      NewField(property("Spot", "coordinates")[0], .list(numbers)),
    ])
  }

  fileprivate func set(_ key: Int64, _ title: String) throws {
    let id = try #require(try file.find(self["Article"].id, key: .int(key)))
    try file.assign(
      self["Article"].id, id: id, FieldPath(property("Article", "title")[0]),
      .scalar(.string(title)))
  }

  fileprivate func search(_ terms: String) -> StoreQuery {
    let path = PropertyPath(property("Article", "title")[0])
    return StoreQuery(self["Article"].id, where: .text(path, .search, terms))
  }

  fileprivate func found(_ terms: String) throws -> [Int64] {
    try file.ids(search(terms)).map { id in
      guard case .int(let key)? = try file.row(of: self["Article"].id, id: id)?.key else {
        throw TestFailure("row \(id) is gone")
      }
      return key
    }
  }
}

@Suite struct `full-text and spatial indexes` {
  @Test func `indexes follow random writes, on the replica that writes and on others`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var writer = ArticleWriter(random: SeededGenerator(seed: seed))
    let stores = [
      try TestStore(articles: "a"), try TestStore(articles: "b"),
      try TestStore(articles: "c", isIndexed: false),
    ]
    for round in 0..<60 {
      let one = Int.random(in: 0..<3, using: &writer.random)
      try writer.write(stores[one])
      guard round % 3 == 2 else { continue }
      let other = (one + 1) % 3
      try stores[one].send(to: stores[other])
      #expect(try stores[other].file.verify() == [], "seed \(seed), round \(round)")
      #expect(try stores[one].file.verify() == [], "seed \(seed), round \(round)")
    }
    for a in stores { for b in stores where a !== b { try a.send(to: b) } }
    // Indexes are in nothing that replicas compare.
    #expect(try stores[0].exported() == stores[2].exported(), "seed \(seed)")
    #expect(
      try stores[0].file.frontierDigest().digest == stores[2].file.frontierDigest().digest)
    // A model that declares them later, for a file that is full.
    _ = try stores[2].file.adopt(ArticleModel.classes(isIndexed: true))
    for store in stores { #expect(try store.file.verify() == [], "seed \(seed)") }
    for terms in ["lake", "zurich", "zu* -lake", "\"lake zurich\""] {
      #expect(try stores[2].found(terms).sorted() == stores[0].found(terms).sorted())
    }
  }

  @Test func `a program whose model declares no index keeps those of others up`() throws {
    let store = try TestStore(articles: "declared")
    try store.write { try $0.create(1, "Zürich", at: (8.5, 47.4)) }
    let other = try StoreFile.open(store.path)
    defer { other.close() }
    let stored = try other.adopt(ArticleModel.classes(isIndexed: false))
    let article = try #require(stored.first { $0.name == "Article" })
    try other.beginWrite()
    let id = try #require(try other.find(article.id, key: .int(1)))
    let title = try #require(article.property(named: "title"))
    try other.assign(article.id, id: id, FieldPath(title), .scalar(.string("a lake")))
    try other.commitWrite()
    #expect(try store.found("lake") == [1])
    #expect(try store.found("zurich") == [])
    #expect(try store.file.verify() == [])
  }

  @Test func `a transaction finds what it wrote, and nothing of it after a roll-back`() throws {
    let store = try TestStore(articles: "transaction")
    try store.file.beginWrite()
    try store.create(1, "lake", at: nil)
    #expect(try store.found("lake") == [1])
    try store.set(1, "river")
    #expect(try store.found("lake") == [])
    store.file.rollback()
    #expect(try store.found("river") == [])
    try store.write { try $0.create(2, "river", at: nil) }
    #expect(try store.found("river") == [2])
    #expect(try store.file.verify() == [])
  }

  @Test func `what was modified past an index is found, and made good`() throws {
    let store = try TestStore(articles: "modified")
    try store.write {
      try $0.create(1, "lake", at: (8, 47))
      try $0.create(2, "lake side", at: (9, 47))
    }
    let ways = [
      ("DELETE FROM atoll_text_4 WHERE rowid = 1", "full-text index of Article.title is wrong"),
      ("UPDATE atoll_text_4 SET words = 'river'", "full-text index of Article.title is wrong"),
      ("INSERT INTO atoll_text_4 (rowid, words) VALUES (9, 'x')", "is wrong about 1 object:"),
      (
        "DELETE FROM atoll_text_4_data WHERE id > 10", "full-text index of Article.title is damaged"
      ),
      ("DROP TABLE atoll_text_4", "full-text index of Article.title is missing"),
      (
        "UPDATE atoll_spatial_5 SET west = 8.5, east = 9 WHERE id = 1",
        "spatial index of Article.spot is wrong"
      ),
      ("DELETE FROM atoll_spatial_5_rowid", "spatial index of Article.spot is wrong"),
    ]
    for (sql, words) in ways {
      let connection = try Connection(
        path: store.path, access: .readWrite, firesTriggers: true)
      try connection.execute(sql)
      connection.close()
      let findings = try store.file.verify()
      #expect(findings.contains { $0.contains(words) }, "\(sql): \(findings)")
      #expect(try store.file.remakeSearchIndexes() == 2)
      #expect(try store.file.verify() == [], "\(sql)")
      #expect(try store.found("lake") == [1, 2])
    }
  }

  @Test func `a backup has its indexes`() throws {
    let store = try TestStore(articles: "original")
    try store.write { try $0.create(1, "the lake of Zürich", at: (8, 47)) }
    let path = TestFolder.path("backup")
    try store.file.backUp(to: path)
    let copy = try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { copy.close() }
    #expect(try copy.count(store.search("zurich lake")) == 1)
    #expect(try copy.verify() == [])
  }

  @Test func `objects that are made anew from the log are in the indexes`() throws {
    let (a, b) = (try TestStore(articles: "a"), try TestStore(articles: "b"))
    try a.write(at: 1_000_000) { try $0.create(1, "lake", at: (8, 47)) }
    try a.send(to: b)
    try a.write(at: 9_000_000) { try $0.create(2, "river", at: (9, 47)) }
    a.clock.now = WallTime(milliseconds: 1_000_500)
    #expect(try a.file.repairClock() != nil)
    #expect(try a.found("lake") == [1])
    #expect(try a.found("river") == [2])
    #expect(try a.file.verify() == [])
  }

  @Test func `a search of a property without an index says what to declare`() throws {
    let store = try TestStore(articles: "bare", isIndexed: false)
    let refused = #expect(throws: StorageError.self) { try store.found("lake") }
    #expect(
      refused == .noFullTextIndex(class: "Article", property: "title")
        && refused?.description.contains("@Persisted(indexed: .fullText)") == true)
  }

  @Test func `a SQLite without a module is told from other troubles`() throws {
    let connection = try Connection(path: TestFolder.path("module"), access: .create)
    defer { connection.close() }
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("CREATE VIRTUAL TABLE x USING nothing_like_it(a)")
    }
    #expect(error?.missingModule == "nothing_like_it")
    #expect(
      StorageError.noModule("fts5", doing: "adopting the model's classes").description
        .contains("built without fts5"))
  }

  @Test func `one statement asks the index once, however many rows there are`() throws {
    let store = try TestStore(articles: "plan")
    try store.write { for key in 1...200 { try $0.create(Int64(key), "lake \(key)", at: nil) } }
    let plan = try store.file.plan(of: store.search("lake 7"))
    #expect(plan.contains("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
    #expect(plan.contains { $0.hasPrefix("SCAN atoll_text_4 VIRTUAL TABLE INDEX") }, "\(plan)")
    var found: [Int64] = []
    let trace = try store.file.traced { found = try store.found("lake 7") }
    #expect(found == [7])
    #expect(trace.statements.filter { $0.contains("MATCH") }.count == 1)
  }
}

/// Random writes to titles and points, of every kind that an index has to follow.
private struct ArticleWriter {
  var random: SeededGenerator
  private static let titles = [
    "Zürich", "the lake of Zürich", "lake Zurich", "", "-", "LAKE", "river", "l\u{e4}ke",
  ]

  init(random: SeededGenerator) { self.random = random }

  mutating func write(_ store: TestStore) throws {
    store.clock.now.milliseconds += 10
    try store.file.beginWrite()
    for _ in 0..<Int.random(in: 1...6, using: &random) { try operate(store) }
    try store.file.commitWrite()
    try store.checkDigests()
  }

  private mutating func operate(_ store: TestStore) throws {
    let article = store["Article"].id
    let key = Int64.random(in: 1...6, using: &random)
    let title = Self.titles.randomElement(using: &random) ?? ""
    guard let id = try store.file.find(article, key: .int(key)) else {
      return try store.create(key, title, at: Bool.random(using: &random) ? point() : nil)
    }
    let spot = store.property("Article", "spot")
    let steps = [FieldPath.Step.slot(spot[0])]
    let coordinates = FieldPath(
      steps: steps, property: store.property("Spot", "coordinates")[0])
    let row = try store.file.row(of: article, id: id)
    let hasSpot = store["Article"].column([spot[0]]).map { row?.columns[$0] } != .null
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try store.file.delete(article, id: id)
    case 1, 2: try store.set(key, title)
    case 3:
      try store.file.assign(
        article, id: id, FieldPath(store.property("Article", "title")[0]), .scalar(.null))
    case 4:
      try store.file.assign(
        article, id: id, FieldPath(store.property("Article", "n")[0]), .scalar(.int(key)))
    case 5, 6: try store.file.assign(article, id: id, FieldPath(spot[0]), store.spot(point()))
    case 7: try store.file.assign(article, id: id, FieldPath(spot[0]), .scalar(.null))
    case _ where !hasSpot: return
    case 8: try store.file.listClear(article, id: id, list: coordinates)
    case _:
      _ = try store.file.listInsert(
        article, id: id, list: coordinates, at: 0, .scalar(.double(point().0)))
    }
  }

  private mutating func point() -> (Double, Double) {
    (.random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
  }
}
