import ArgumentParser
import AtollStorage
import AtollVocabulary

/// `atoll objects`: the objects of a class, all or those that satisfy a predicate.
struct ObjectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "objects", abstract: "Shows the objects of a class.",
    discussion: """
      One object a line, its columns apart by tabs below a line of their names; links show the key \
      of their target.

      A predicate is written as for NSPredicate: == != < <= > >= IN BETWEEN, BEGINSWITH CONTAINS \
      ENDSWITH LIKE with [c] and [d], AND OR NOT ( ), ANY NONE ALL before lists, @count @min @max \
      @avg @sum, SUBQUERY, strings in quotes, numbers, nil, TRUE, FALSE, and dots through links and \
      embedded objects. SORT(…), DISTINCT(…) and LIMIT(…) may follow: \
      --where 'country.code == "CH" AND elevation > 1500 SORT(name ASC) LIMIT(10)'
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The name of the class.")
  var className: String

  @Option(name: .customLong("where"), help: "Only objects that satisfy this predicate.")
  var condition: String?

  @Option(help: "At most this many objects.")
  var limit: Int?

  @Flag(help: "One JSON object a line, as `export` writes it, instead of columns.")
  var json = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
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
      query = try PredicateParser.query(
        condition, from: query, in: PredicateScope(subject: subject, classes: classes))
    }
    if let limit { query = query.limited(to: limit) }
    let printer = ObjectPrinter(file: file, subject: subject)
    if !json { print(printer.heading) }
    let rows = try file.rows(query)
    while let row = try rows.next() {
      let line = json ? try file.canonicalText(of: subject.id, id: row.id) : try printer.text(row)
      if let line { print(line) }
    }
  }
}
