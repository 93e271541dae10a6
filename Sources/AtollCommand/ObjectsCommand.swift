import ArgumentParser
import AtollQuery
import AtollStorage
import AtollVocabulary

/// `atoll objects`: the objects of a class, all or those that satisfy a predicate.
struct ObjectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "objects", abstract: "Shows the objects of a class.",
    discussion: """
      One object a line. As a table its columns are aligned below their names; as CSV (RFC 4180) \
      they are apart by commas, with nothing for nil; links show the key of their target, lists, \
      sets and maps how many elements they have. As JSON it is what `export` writes.

      A predicate is written as for NSPredicate: == != < <= > >= IN BETWEEN, BEGINSWITH CONTAINS \
      ENDSWITH LIKE with [c] and [d], AND OR NOT ( ), ANY NONE ALL before lists, @count @min @max \
      @avg @sum, SUBQUERY, + - * /, strings in quotes, numbers, nil, TRUE, FALSE, uuid(…), oid(…), \
      obj(class, key), dates as in 2024-05-31@12:00:00, and dots through links and embedded objects. \
      SORT(…), DISTINCT(…) and LIMIT(…) may follow: \
      --where 'country.code == "CH" AND elevation > 1500 SORT(name ASC) LIMIT(10)'
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The name of the class.")
  var className: String

  @Option(name: .customLong("where"), help: "Only objects that satisfy this predicate.")
  var condition: String?

  @Option(help: "At most this many objects.")
  var limit: Int?

  @Option(help: "How objects are written: table, json or csv.")
  var format: ObjectFormat?

  @Flag(help: "Short for --format json.")
  var json = false

  @Flag(help: "Instead of the objects, the SQL of the query and how SQLite finds its rows.")
  var explain = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    if json, let format, format != .json {
      throw ValidationError("--json and --format \(format.rawValue) exclude each other.")
    }
  }

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    try file.beginRead()
    let classes = try file.classes
    guard let subject = classes.first(where: { $0.name == className && !$0.isEmbedded }) else {
      let known = classes.filter { !$0.isEmbedded }.map(\.name)
      throw CommandError.noSuchClass(className, path: argument.store, known: known)
    }
    var query = StoreQuery(subject.id)
    if let condition {
      let scope = PredicateScope(subject: subject, classes: classes)
      query = try PredicateParser.query(condition, from: query, in: scope)
    }
    if let limit { query = query.limited(to: limit) }
    if explain {
      print(lines: try file.sql(of: query).split(separator: "\n").map(String.init))
      for step in try file.plan(of: query) { print("  " + step) }
      return
    }
    switch format ?? (json ? .json : .table) {
    case .json: try file.export(query) { print(data: $0, terminator: "") }
    case .table: try printCells(query, of: subject, as: .table, file)
    case .csv: try printCells(query, of: subject, as: .csv, file)
    }
  }

  private func printCells(
    _ query: StoreQuery, of subject: StoredClass, as format: ObjectFormat, _ file: StoreFile
  ) throws {
    var printer = ObjectPrinter(subject: subject, format: format) {
      if format == .csv { print(data: $0) } else { print($0) }
    }
    printer.begin()
    try file.forEachShown(of: query) { printer.add($0) }
    printer.end()
  }
}

/// How `atoll objects` writes objects.
enum ObjectFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv
}
