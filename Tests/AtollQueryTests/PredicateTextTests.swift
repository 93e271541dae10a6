import AtollQuery
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

  @Test func `space and text may be of any script`() throws {
    #expect(
      try parse("icao\u{3000}==\r\n'\u{301}e 🇨🇭'")
        == .comparison(path("icao"), .equal, .value(.string("\u{301}e 🇨🇭"))))
    #expect(
      try parse("icao == \"\\ü\\\"\"") == .comparison(path("icao"), .equal, .value(.string("ü\""))))
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
    ("runways + == 3", 11, "\"==\"", "a property, a string"),
    ("icao + 1 == 3", 1, "\"icao\"", "a number beside +; \"icao\" is of type String"),
    ("runways * 'x' == 3", 11, "\"'x'\"", "a number beside *"),
    ("runways - nil == 3", 11, "\"nil\"", "a number beside -"),
    ("(runways + 1 == 3", 18, "the end", "AND, OR or \")\""),
    ("(runways + 1) / == 3", 17, "\"==\"", "a property, a string"),
    ("ANY services + services > 3", 16, "\"services\"", "one value, because"),
    ("country == obj('Contry', 'CH')", 16, "\"'Contry'\"", "a class; there are Airport, Country"),
    ("country == obj('Country')", 25, "\")\"", "\",\" and a key"),
    ("country == obj('Country', 3)", 27, "\"3\"", "a string in quotes, because that is the key"),
    ("country == obj('Country', 'CH'", 31, "the end", "\")\" after obj("),
    ("country GEOWITHIN geoBox([0, 0], [1, 1])", 19, "\"geoBox\"", "an area only after embedded"),
    ("country IN geoBox([0, 0], 1)", 27, "\"1\"", "a point: [longitude, latitude]"),
    ("country IN geoBox([0, 91], [1, 1])", 19, "\"[\"", "a longitude from -180 to 180"),
    ("country IN geoCircle([0, 0], -1)", 30, "\"-1\"", "a radius in radians"),
    ("country IN geoPolygon({[0, 0], [1, 1], [0, 0]})", 23, "\"{\"", "a ring of three different"),
    ("runways == NaN", 12, "\"NaN\"", "a whole number"),
    ("elevation == -infinit", 14, "\"-infinit\"", "a number"),
    ("opened == 'x'", 11, "\"'x'\"", "a date such as"),
    ("opened == 2024-13-01@00:00:00", 11, "\"2024-13-01@00:00:00\"", "a date such as"),
    ("token == 'x'", 10, "\"'x'\"", "a UUID in quotes or uuid()"),
    ("token == uuid(x)", 10, "\"uuid(x)\"", "a UUID between uuid( and )"),
    ("token == oid(x)", 10, "\"oid(x)\"", "24 hexadecimal digits"),
    ("mark == 'xy'", 9, "\"'xy'\"", "hexadecimal digits in quotes"),
    ("isOpen == 'yes'", 11, "\"'yes'\"", "TRUE or FALSE"),
    ("runways IN {1, 'x'}", 16, "\"'x'\"", "a whole number"),
    ("runways IN {1, 2", 17, "the end", "\",\" or \"}\""),
    ("icao == %@", 9, "\"%@\"", "no more places than the 0 arguments given"),
    ("icao == $1", 9, "\"$1\"", "one of the 0 arguments given"),
    ("icao == %x", 9, "\"%\"", "%@, %K, %d or %f"),
    ("services[1] == 'x'", 16, "\"'x'\"", "a whole number"),
    ("services['x'] == 1", 10, "\"'x'\"", "an index"),
    ("runways[0] == 1", 9, "\"0\"", "no key: \"runways\""),
    (
      "ANY @links.Airprt.country == nil", 12, "\"Airprt\"",
      "a class after @links; perhaps \"Airport\""
    ),
    (
      "ANY @links.Airport.runways == 1", 20, "\"runways\"", "a property of Airport that holds links"
    ),
    ("SUBQUERY(runways, $x, $x == 1).@count > 0", 10, "\"runways\"", "a list, set or map"),
    ("SUBQUERY(services, x, $x == 1).@count > 0", 20, "\"x\"", "a variable such as $x"),
    ("SUBQUERY(services, $x, $x == 1).@max > 0", 33, "\"@max\"", ".@count"),
    ("services.@allKeys == 'x'", 10, "\"@allKeys\"", "a map before @allKeys"),
    ("services.@min.x == 1", 15, "\"x\"", "no further step"),
    ("icao.@count == 1", 6, "\"@count\"", "a property; \"@count\" belongs after"),
    ("opened.@avg == 1", 8, "\"@avg\"", "a property; \"@avg\" belongs after"),
    ("icao BETWEEN {'a', 'b'}", 14, "\"{\"", "numbers or dates around BETWEEN"),
    ("runways == 1x", 13, "\"x\"", "AND, OR or the end"),
    ("services.@max > services.@min", 17, "\"services\"", "a value or a property, because"),
    ("services.@count == 1 + services.@sum", 20, "\"1\"", "a value or a property, because"),
    ("icao == 'Zürich' x", 18, "\"x\"", "AND, OR or the end"),
    ("icao == 'Zu\u{308}rich' x", 18, "\"x\"", "AND, OR or the end"),
    ("größe == 1", 1, "\"größe\"", "a property of Airport"),
    ("gro\u{308}ße == 1", 1, "\"gro\u{308}ße\"", "a property of Airport"),
    ("runways == 1 ☃", 14, "\"☃\"", "a property, a value"),
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
