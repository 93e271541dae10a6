import ArgumentParser
import AtollInspect

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
    let store = try argument.inspect()
    defer { store.close() }
    try store.atOneMoment {
      let listing = try store.objects(of: className, where: condition, limit: limit)
      if explain {
        print(lines: try listing.statement())
        for step in try listing.plan() { print("  " + step) }
        return
      }
      switch format ?? (json ? .json : .table) {
      case .json: try listing.forEachLine { print(data: $0, terminator: "") }
      case .table: try printCells(of: listing, as: .table)
      case .csv: try printCells(of: listing, as: .csv)
      }
    }
  }

  private func printCells(of listing: ObjectListing, as format: ObjectFormat) throws {
    var printer = ObjectPrinter(format: format) {
      if format == .csv { print(data: $0) } else { print($0) }
    }
    printer.begin(listing.columns)
    try listing.forEach { printer.add($0) }
    printer.end()
  }
}

/// The output formats of `atoll objects`.
enum ObjectFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv
}
