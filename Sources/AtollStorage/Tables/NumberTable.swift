import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The meaning of every author's numbers: `atoll_declared`, beside the log's table of authors.
final class NumberTable {
  private let connection: Connection
  private let statement: FixedStatements
  let authors: AuthorTable
  /// By the author's number, from 1.
  @exclusivity(unchecked) private var all: [AuthorNumbers] = []
  /// As of which ``AuthorTable/revision`` these are its records'.
  private var revision = 0
  /// Rows of `atoll_declared` already known.
  private var declaredRows: Int64 = 0

  init(of authors: AuthorTable, _ statements: FixedStatements) {
    self.authors = authors
    statement = statements
    connection = statements.connection
    revision = authors.revision
  }

  /// The numbers of an author in the table of authors.
  subscript(record: AuthorRecord) -> AuthorNumbers {
    let index = Int(record.number) - 1
    while index >= all.count {
      guard all.count < authors.records.count else { return AuthorNumbers(record) }
      all.append(AuthorNumbers(authors.records[all.count]))
    }
    return all[index]
  }

  /// A row of `atoll_declared`: the kind of thing that it gives a number to; the raw value is the column's.
  enum Kind: Int64 {
    case `class` = 0
    case property = 1
    case author = 2
  }

  /// The declarations that the file has of an author, in order, its parents' not counted.
  func declared(by record: AuthorRecord) throws(SQLiteError) -> [(kind: Kind, local: Int64)] {
    let statement = try statement(
      "SELECT kind, local FROM atoll_declared WHERE author = ? ORDER BY number")
    statement.bind(record.number, at: 1)
    var declared: [(kind: Kind, local: Int64)] = []
    while try statement.step() {
      guard let kind = Kind(rawValue: statement.int64(at: 0)) else { continue }
      declared.append((kind, statement.int64(at: 1)))
    }
    return declared
  }

  /// The number of declarations that the file has of each author, its parents' not counted.
  func declaredCounts() throws(SQLiteError) -> [Int64: Int] {
    let statement = try statement("SELECT author, count(*) FROM atoll_declared GROUP BY author")
    var counts: [Int64: Int] = [:]
    while try statement.step() { counts[statement.int64(at: 0)] = Int(statement.int64(at: 1)) }
    return counts
  }

  // MARK: Growing

  /// Stores that an author's next number of a kind means this local one.
  func store(_ kind: Kind, local: Int64, of record: AuthorRecord) throws(SQLiteError) {
    let statement = try statement(
      "INSERT INTO atoll_declared (number, author, kind, local) VALUES (?, ?, ?, ?)")
    statement.bind(declaredRows + 1, at: 1)
    statement.bind(record.number, at: 2)
    statement.bind(kind.rawValue, at: 3)
    statement.bind(local, at: 4)
    try statement.run()
    declaredRows += 1
  }

  /// Before the first changeset of a branch: it goes on with the numbers of its parent.
  func inherit(_ record: AuthorRecord, from parent: AuthorRecord) {
    record.declarations = parent.declarations
    self[record].inherit(from: self[parent])
  }

  /// Forgets all declarations, which are adopted again from the log.
  func empty() throws(SQLiteError) {
    try connection.execute("DELETE FROM atoll_declared")
    declaredRows = 0
    // In place, since a write transaction holds its writer's.
    for numbers in all { numbers.forget() }
    for record in authors.records { record.declarations = DeclarationTable(author: record.author) }
  }

  // MARK: Reading

  /// Takes in what the file has and this table does not, after the table of authors did.
  func refresh(_ catalog: Catalog) throws(SQLiteError) {
    if revision != authors.revision {
      declaredRows = 0
      all = []
      revision = authors.revision
    }
    let statement = try connection.prepare(
      "SELECT number, author, kind, local FROM atoll_declared WHERE number > ? ORDER BY number")
    statement.bind(declaredRows, at: 1)
    let isFirst = declaredRows == 0
    var inheriting = isFirst ? authors.records.filter { $0.parent != 0 } : []
    while try statement.step() {
      declaredRows = statement.int64(at: 0)
      guard let record = authors[statement.int64(at: 1)] else { continue }
      // All that its parents have declared stands before it.
      inherit(record, &inheriting)
      let local = statement.int64(at: 3)
      switch Kind(rawValue: statement.int64(at: 2)) {
      case .class: adopt(ClassID(Int32(truncatingIfNeeded: local)), of: record, catalog)
      case .property: adopt(PropertyID(Int32(truncatingIfNeeded: local)), of: record, catalog)
      case .author: adopt(author: local, of: record)
      case nil: continue
      }
    }
    while let record = inheriting.last { inherit(record, &inheriting) }
  }

  private func inherit(_ record: AuthorRecord, _ inheriting: inout [AuthorRecord]) {
    guard let index = inheriting.firstIndex(where: { $0 === record }) else { return }
    inheriting.remove(at: index)
    guard let parent = authors[record.parent] else { return }
    inherit(parent, &inheriting)
    inherit(record, from: parent)
  }

  private func adopt(_ id: ClassID, of record: AuthorRecord, _ catalog: Catalog) {
    guard let declaration = catalog.declaration(id) else { return }
    try? record.declarations.adopt([.class(declaration)])
    self[record].append(id)
  }

  private func adopt(_ id: PropertyID, of record: AuthorRecord, _ catalog: Catalog) {
    let numbers = self[record]
    guard let property = catalog.property(id),
      let declaration = catalog.declaration(id, by: numbers)
    else { return }
    try? record.declarations.adopt([.property(declaration)])
    numbers.append(property)
  }

  private func adopt(author number: Int64, of record: AuthorRecord) {
    guard let other = authors[number] else { return }
    try? record.declarations.adopt([.author(other.author)])
    self[record].append(author: number)
  }
}

extension Catalog {
  /// A class as any author declares it.
  func declaration(_ id: ClassID) -> ClassDeclaration? {
    entry(id).map {
      ClassDeclaration(
        name: $0.name, isEmbedded: $0.isEmbedded, keyType: $0.keyType, keyName: $0.keyName)
    }
  }

  /// A property as one author declares it, whose classes it must know.
  func declaration(_ id: PropertyID, by numbers: AuthorNumbers) -> PropertyDeclaration? {
    guard let property = property(id), let owner = numbers.number(of: property.owner) else {
      return nil
    }
    let target = property.target.flatMap { numbers.number(of: $0) }
    guard property.target == nil || target != nil else { return nil }
    return PropertyDeclaration(
      owner: owner, name: property.name, type: property.type, collection: property.collection,
      target: target)
  }
}
