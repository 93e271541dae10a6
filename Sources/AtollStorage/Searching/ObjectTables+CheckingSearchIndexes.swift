import AtollQuery
import AtollSQLite
import AtollVocabulary

// Checks that full-text and spatial indexes agree with the rows. Nothing is changed, so that files
// that may only be read can be checked as well.
extension ObjectTables {
  /// One sentence for each index that is not what the rows make it.
  func checkSearchIndexes() throws -> [String] {
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    var findings: [String] = []
    for index in catalog.searchIndexes {
      let what = "the \(index.kind == .spatial ? "spatial" : "full-text") index of \(index.place)"
      guard stored.contains(index.name) else {
        findings.append("\(what) is missing: \(Self.remedy)")
        continue
      }
      do {
        let wrong = try wrongRows(of: index)
        if wrong > 0 {
          let objects = wrong == 1 ? "1 object" : "\(wrong) objects"
          findings.append("\(what) is wrong about \(objects): \(Self.remedy)")
        } else if try !isSound(index) {
          findings.append("\(what) is damaged: \(Self.remedy)")
        }
      } catch let error as SQLiteError where error.code.primary == .corrupt {
        findings.append("\(what) is damaged: \(Self.remedy)")
      }
    }
    return findings
  }

  private static let remedy = "make it anew with atoll verify --remake-indexes"

  /// Objects that the index knows otherwise, or not, and those it knows that are gone.
  private func wrongRows(of index: SearchIndex) throws -> Int64 {
    var (wrong, expected): (Int64, Int64) = (0, 0)
    let rows = try connection.prepare("SELECT _id FROM \(index.entry.table.sql)")
    defer { rows.finalize() }
    while try rows.step() {
      let row = rows.int64(at: 0)
      let (isThere, isRight) =
        index.kind == .spatial ? try checkPoint(row, index) : try checkWords(row, index)
      if isThere { expected += 1 }
      if !isRight { wrong += 1 }
    }
    let known = try connection.integer("SELECT count(*) FROM \(index.name)") ?? 0
    return wrong + max(0, known - expected)
  }

  private func checkWords(
    _ row: Int64, _ index: SearchIndex
  ) throws -> (isThere: Bool, isRight: Bool) {
    let (words, kept) = (try index.words(of: row), try index.keptWords(of: row))
    return (words != nil || kept != nil, words == kept)
  }

  private func checkPoint(
    _ row: Int64, _ index: SearchIndex
  ) throws -> (isThere: Bool, isRight: Bool) {
    let statement = try index.entry.table.statement(
      "SELECT west, east, south, north FROM \(index.name) WHERE id = ?")
    statement.bind(row, at: 1)
    defer { statement.reset() }
    let isKept = try statement.step()
    guard let bounds = try index.bounds(of: row) else { return (isKept, !isKept) }
    let isAround =
      isKept && statement.double(at: 0) <= bounds.west && statement.double(at: 1) >= bounds.east
      && statement.double(at: 2) <= bounds.south && statement.double(at: 3) >= bounds.north
    return (true, isAround)
  }

  /// Tells whether what is looked up agrees with what the index keeps of each row.
  private func isSound(_ index: SearchIndex) throws -> Bool {
    guard index.kind == .fullText else {
      return try connection.texts("SELECT rtreecheck('\(index.name)')") == ["ok"]
    }
    try connection.execute(
      """
      CREATE VIRTUAL TABLE temp.atoll_vocabulary USING fts5vocab(main, \(index.name), instance)
      """)
    defer { try? connection.execute("DROP TABLE temp.atoll_vocabulary") }
    var kept = 0
    let texts = try connection.prepare("SELECT rowid, words FROM \(index.name)")
    defer { texts.finalize() }
    while try texts.step() {
      for (place, word) in texts.string(at: 1).split(separator: " ").enumerated() {
        kept &+= Self.hash(word, of: texts.int64(at: 0), at: Int64(place))
      }
    }
    let places = try connection.prepare("SELECT term, doc, \"offset\" FROM temp.atoll_vocabulary")
    defer { places.finalize() }
    while try places.step() {
      kept &-= Self.hash(
        places.string(at: 0)[...], of: places.int64(at: 1), at: places.int64(at: 2))
    }
    return kept == 0
  }

  private static func hash(_ word: Substring, of row: Int64, at place: Int64) -> Int {
    var hasher = Hasher()
    hasher.combine(word)
    hasher.combine(row)
    hasher.combine(place)
    return hasher.finalize()
  }
}
