import AtollInspect
import AtollStorage
import AtollVocabulary
import Testing

/// Classes and objects, as people are shown them.
@Suite struct ContentTests {
  private let stores = InspectedStores()

  private func makeCities() throws {
    let store = try stores.store("a")
    try store.make("Bern", 134_000, latitude: 46.9, rivers: ["Aare"])
    try store.make("Basel", 173_000, rivers: ["Rhein", "Birs"])
    try store.make("Atlantis", nil)
    store.file.close()
  }

  @Test func `a schema has classes with their keys, types and targets`() throws {
    try makeCities()
    let schema = try stores.inspect("a") { try $0.schema() }
    #expect(
      try json(schema) == """
        {"classes":[{"isEmbedded":false,"key":{"name":"name","type":"String"},"name":"City",\
        "properties":[{"name":"inhabitants","type":"Int"},\
        {"name":"place","target":"Place","type":"embedded object"},\
        {"collection":"list","name":"rivers","type":"String"}]},\
        {"isEmbedded":true,"name":"Place","properties":[{"name":"latitude","type":"Double"}]}]}
        """)
  }

  @Test func `a page has columns, cells by kind, and says if another follows`() throws {
    try makeCities()
    let page = try stores.inspect("a") { try $0.objects(of: "City").page(from: 0, count: 2) }
    #expect(page.columns == ["name", "inhabitants", "place", "rivers", "place.latitude"])
    #expect(
      page.rows.map { $0.map(\.text) } == [
        ["Bern", "134000", "", "1", "46.9"], ["Basel", "173000", "", "2", ""],
      ])
    #expect(
      page.rows.map { $0.map(\.kind) } == [
        [.value, .value, .object, .collection, .value],
        [.value, .value, .absent, .collection, .null],
      ])
    #expect(page.rows[0].map(\.type) == ["String", "Int", nil, nil, "Double"])
    #expect(!page.isLast)
    _ = try json(page)
  }

  @Test func `the pages of a listing are all of its objects, each once`() throws {
    try makeCities()
    try stores.inspect("a") { inspection throws in
      for condition in [nil, "inhabitants != nil SORT(name ASC)", "TRUEPREDICATE LIMIT(2)"] {
        let listing = try inspection.objects(of: "City", where: condition)
        var whole: [String] = []
        try listing.forEach { whole.append($0[0].text) }
        for count in 1...4 {
          var paged: [String] = []
          var page = try listing.page(from: 0, count: count)
          while true {
            paged += page.rows.map { $0[0].text }
            if page.isLast { break }
            #expect(page.rows.count == count)
            page = try listing.page(from: paged.count, count: count)
          }
          #expect(paged == whole, "\(condition ?? "all"), \(count) a page")
        }
      }
    }
  }

  @Test func `a listing keeps to its limit, and has its statement and plan`() throws {
    try makeCities()
    try stores.inspect("a") { inspection throws in
      let listing = try inspection.objects(of: "City", where: "inhabitants > 1", limit: 1)
      var lines: [String] = []
      try listing.forEachLine { lines.append($0) }
      #expect(lines.count == 1 && lines[0].hasPrefix(#"{"class":"City","key":"Bern""#))
      #expect(try listing.page(from: 0, count: 9).isLast)
      #expect(try listing.statement().first?.hasPrefix("SELECT") == true)
      #expect(try listing.plan().count > 0)
    }
  }

  @Test func `classes and keys that there are not are errors that name those there are`() throws {
    try makeCities()
    try stores.inspect("a") { inspection throws in
      let error = InspectionError.noSuchClass("Town", path: stores.path("a"), known: ["City"])
      #expect(throws: error) { try inspection.objects(of: "Town") }
      #expect(
        "\(error)" == "reading \(stores.path("a")): it holds no class \"Town\"; it holds City")
      #expect(throws: InspectionError.self) { try inspection.objects(of: "Place") }
      #expect(try inspection.subject("City").key("5") == .string("5"))
    }
  }

  @Test func `a hidden key is read as it is printed, and as it is exported`() throws {
    let file = try StoreFile.open(
      stores.path("notes"), options: StoreOptions(storeID: InspectedStores.storeID))
    let note = try #require(try file.adopt([ClassSchema(name: "Note", properties: [])]).first)
    try file.beginWrite()
    for _ in 0..<3 { _ = try file.create(note.id, key: nil, fields: []) }
    _ = try file.commitWrite()
    file.close()
    try stores.inspect("notes") { inspection throws in
      let subject = try inspection.subject("Note")
      let shown = try inspection.objects(of: "Note").page(from: 0, count: 3).rows.map { $0[0].text }
      var lines: [String] = []
      try inspection.objects(of: "Note").forEachLine { lines.append($0) }
      for (shown, line) in zip(shown, lines) {
        let key = try subject.key(shown)
        #expect(key.description == shown)
        let exported = line.split(separator: "\"").first { $0.contains(".") }
        #expect(try subject.key(String(try #require(exported))) == key)
      }
      for text in [
        "", "x", "x#1", "00000000.0000:1#0", "00000000.0000:1", String(shown[0].dropLast()),
      ] {
        #expect(throws: InspectionError.self) { try subject.key(text) }
      }
    }
  }
}
