import AtollStorage
import AtollVocabulary
import Testing

/// Text, the tree it stands for, and what is said where there is none.
@Suite struct PredicateTextTests {
  @Test func `each comparison reads as itself`() throws {
    let comparators: [(String, Predicate.Comparator)] = [
      ("==", .equal), ("=", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less),
      ("<=", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual),
    ]
    for (spelling, comparator) in comparators {
      #expect(
        try parse("runways \(spelling) 3")
          == .comparison(path("runways"), comparator, .value(.int(3))))
    }
  }

  @Test func `a literal on the left turns the comparison around`() throws {
    #expect(try parse("3 < runways") == parse("runways > 3"))
    #expect(try parse("3 >= runways") == parse("runways <= 3"))
    #expect(try parse("3 == runways") == parse("runways == 3"))
  }

  @Test func `a literal takes the type of the property`() throws {
    let samples: [(String, String, PersistedValue)] = [
      ("elevation", "1500", .double(1500)), ("elevation", "-1.5e2", .double(-150)),
      ("runways", "-4", .int(-4)), ("icao", "\"LSZH\"", .string("LSZH")),
      ("icao", "'it\\'s \\n'", .string("it's \n")), ("icao", "NULL", .null),
      ("isOpen", "true", .bool(true)), ("opened", "0.5", .date(0.5)),
      ("mark", "\"00ff\"", .data([0, 255])), ("country", "nil", .null),
      (
        "token", "\"00000000-0000-0000-0000-00000000000A\"",
        .uuid(UniqueBytes(high: 0, low: 10))
      ),
    ]
    for (name, literal, value) in samples {
      #expect(
        try parse("\(name) == \(literal)") == .comparison(path(name), .equal, .value(value)))
    }
  }

  @Test func `dots lead through links and embedded objects`() throws {
    #expect(
      try parse("country.code == \"CH\"")
        == .comparison(
          PropertyPath(property("country"), countryCode), .equal, .value(.string("CH"))))
    #expect(
      try parse("country.code != icao")
        == .comparison(
          PropertyPath(property("country"), countryCode), .notEqual, .path(path("icao"))))
  }

  @Test func `NOT binds closer than AND, and AND closer than OR`() throws {
    let a = try parse("runways == 1")
    let b = try parse("runways == 2")
    let c = try parse("runways == 3")
    #expect(try parse("runways == 1 OR runways == 2 AND runways == 3") == .any([a, .all([b, c])]))
    #expect(
      try parse("(runways == 1 || runways == 2) && runways == 3") == .all([.any([a, b]), c]))
    #expect(try parse("not runways == 1 and runways == 2") == .all([.not(a), b]))
    #expect(try parse("!(runways == 1 or runways == 2)") == .not(.any([a, b])))
    #expect(try parse("TRUEPREDICATE OR FALSEPREDICATE") == .any([.always, .never]))
  }

  @Test(arguments: [
    ("", 1, "the end", "a property, a string"),
    ("runways", 8, "the end", "one of =="),
    ("runways ==", 11, "the end", "a property, a string"),
    ("runways == 1.5", 12, "\"1.5\"", "a whole number, because \"runways\" is of type Int"),
    ("icao == 3", 9, "\"3\"", "a string in quotes"),
    ("icao == \"x", 9, "\"\"x\"", "a closing \""),
    ("runwys == 3", 1, "\"runwys\"", "a property of Airport, which has icao, elevation"),
    ("country.cod == 3", 9, "\"cod\"", "a property of Country, which has code"),
    ("runways.x == 3", 9, "\"x\"", "no further step"),
    ("(runways == 3", 14, "the end", "AND, OR or \")\""),
    ("runways == 3 runways", 14, "\"runways\"", "AND, OR or the end"),
    ("runways # 3", 9, "\"#\"", "a property, a value"),
    ("3 == 3", 1, "\"3\"", "a property on one side"),
    ("services == 3", 1, "\"services\"", "ANY, NONE or ALL before \"services\""),
    ("ANY runways == 3", 5, "\"runways\"", "a list, set or map after ANY"),
    ("icao LIKE[d] 'x'", 10, "\"[d]\"", "[c] at most"),
    ("icao MATCHES 'x'", 6, "\"MATCHES\"", "one of =="),
    ("runways <[c] 3", 10, "\"[c]\"", "no options here"),
    ("runways CONTAINS 'x'", 18, "\"'x'\"", "text on the left"),
    ("'x' CONTAINS icao", 5, "\"CONTAINS\"", "a property on the left"),
    ("runways BETWEEN {1}", 17, "\"{\"", "two values"),
    ("runways IN 3", 12, "\"3\"", "several values"),
    ("services.@sum == nil", 18, "\"nil\"", "a number: a sum is never nil"),
    ("services.@total == 1", 10, "\"@total\"", "@count, @min, @max, @avg, @sum"),
    ("SUBQUERY(services, $x, $y > 1).@count > 0", 24, "\"$y\"", "a variable that a SUBQUERY"),
    ("country == 3", 12, "\"3\"", "nil, or a step further with a dot"),
    ("runways == 1x", 13, "\"x\"", "AND, OR or the end"),
    ("runways == 99999999999999999999", 12, "\"99999999999999999999\"", "a whole number"),
  ])
  func `an error names the place, what is there, and what would do`(
    text: String, place: Int, found: String, expected: String
  ) {
    let error = #expect(throws: PredicateTextError.self) { try parse(text) }
    let message = error?.description ?? ""
    #expect(message.hasPrefix("cannot read the predicate at character \(place): found \(found), "))
    #expect(message.contains("expected \(expected)"))
  }

  @Test func `an error marks the place below the text`() {
    let error = #expect(throws: PredicateTextError.self) { try parse("runways == x") }
    #expect(error?.description.hasSuffix("\n  runways == x\n             ^") ?? false)
  }

  @Test func `nesting has a bound`() throws {
    let deep = Limits.predicateDepth
    let text = { (depth: Int) in
      String(repeating: "(", count: depth) + "runways == 1" + String(repeating: ")", count: depth)
    }
    #expect(try parse(text(deep - 1)) == parse("runways == 1"))
    #expect(throws: PredicateTextError.self) { try parse(text(deep)) }
    #expect(throws: PredicateTextError.self) { try parse(text(100_000)) }
  }

  @Test func `every beginning of a predicate is read or refused, never trapped`() {
    let text = "NOT (country.code == \"C\\\"H\" AND elevation >= -1.5e3) || opened != nil"
    for count in 0...text.count { _ = try? parse(String(text.prefix(count))) }
  }

  private func parse(_ text: String) throws(PredicateTextError) -> Predicate {
    try PredicateParser.predicate(text, about: airport, among: [airport, country])
  }

  private func path(_ name: String) -> PropertyPath { PropertyPath(property(name)) }

  private func property(_ name: String) -> StoredProperty {
    airport.property(named: name) ?? countryCode
  }

  private let countryCode = StoredProperty(
    id: .key, owner: ClassID(2), position: -1, name: "code", type: .string, collection: .none,
    target: nil)

  private var country: StoredClass {
    StoredClass(
      id: ClassID(2), name: "Country", isEmbedded: false, keyType: .string, key: countryCode,
      properties: [], columns: [])
  }

  private var airport: StoredClass {
    let types: [(String, PersistedType, CollectionKind)] = [
      ("elevation", .double, .none), ("runways", .int, .none), ("isOpen", .bool, .none),
      ("opened", .date, .none), ("mark", .data, .none), ("token", .uuid, .none),
      ("country", .link, .none), ("services", .int, .list),
    ]
    let properties = types.enumerated().map { index, declared in
      StoredProperty(
        id: PropertyID(Int32(index + 1)), owner: ClassID(1), position: index, name: declared.0,
        type: declared.1, collection: declared.2,
        target: declared.1 == .link ? ClassID(2) : nil)
    }
    let key = StoredProperty(
      id: .key, owner: ClassID(1), position: -1, name: "icao", type: .string, collection: .none,
      target: nil)
    return StoredClass(
      id: ClassID(1), name: "Airport", isEmbedded: false, keyType: .string, key: key,
      properties: properties, columns: [])
  }
}
