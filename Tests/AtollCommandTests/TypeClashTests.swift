import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@Suite struct TypeClashTests {
  private let folder = TemporaryFolder()

  @Test func `scenario 40 status names a property of two types, with both types and authors`()
    throws
  {
    let file = try folder.makeCities(at: "a.atoll")
    #expect(try !atoll("status", folder.path("a.atoll")).text.contains("clash"))
    let other = try StoreFile.open(
      folder.path("b.atoll"), options: StoreOptions(storeID: .test))
    let schema = ClassSchema(
      name: "City", primaryKey: "name",
      properties: [
        PropertySchema(name: "name", type: .string),
        PropertySchema(name: "inhabitants", type: .string),
      ])
    let city = try #require(try other.adopt([schema]).first)
    let inhabitants = try #require(city.property(named: "inhabitants"))
    try other.beginWrite()
    _ = try other.create(
      city.id, key: .string("Bern"), fields: [NewField(inhabitants, .scalar(.string("many")))])
    _ = try other.commitWrite()
    try send(from: other, to: file)
    try send(from: file, to: other)
    for name in ["a.atoll", "b.atoll"] {
      let text = try atoll("status", folder.path(name))
      #expect(
        text.lines.contains(
          "clash    City.inhabitants is declared Int by \(file.author); String by \(other.author)"))
      let json = try atoll("status", folder.path(name), "--json").text
      #expect(
        json.contains(
          """
          "clashes":[{"class":"City","property":"inhabitants","types":\
          {"Int":["\(file.author)"],"String":["\(other.author)"]}}]
          """))
    }
  }

  private func send(from source: StoreFile, to target: StoreFile) throws {
    let lacking = try source.entries(
      lackedBy: try target.appliedVector(), after: .start, limitBytes: 1 << 20)
    _ = try target.apply(
      lacking.entries.map {
        IncomingChangeset(
          author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
          expectedHash: $0.id.hash)
      })
  }

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }
}
