import Atoll
import Testing

/// Reflection of classes and properties.
@Suite struct ReflectionTests {
  let schema: Schema

  init() throws { schema = try HarbourStore().store.schema }

  @Test func `rule 9: reflection shows the persisted type, and nothing of a mapping`() throws {
    let harbour = try #require(schema["Harbour"])
    #expect(harbour["website"]?.type == .string)
    #expect(harbour["depth"]?.type == .int)
    #expect(harbour["piers"]?.type == .int)
    #expect(harbour["entrance"]?.type == .object)
    #expect(harbour["name"]?.columnName == "name")
  }

  @Test func `rule 10: a required embedded mapping is optional to reflection, a scalar is not`()
    throws
  {
    let harbour = try #require(schema["Harbour"])
    #expect(harbour["entrance"]?.isOptional == true)
    #expect(harbour["entrance"]?.objectClassName == "Location")
    #expect(harbour["depth"]?.isOptional == false)
    #expect(harbour["tide"]?.isOptional == true)
  }

  @Test func `reflection shows collections, keys, indexes and classes`() throws {
    let harbour = try #require(schema["Harbour"])
    let ship = try #require(schema["Ship"])
    #expect(harbour.primaryKeyProperty?.name == "code")
    #expect(harbour["piers"]?.isArray == true)
    #expect(harbour["piers"]?.isSet == false)
    #expect(ship["crew"]?.isIndexed == true)
    #expect(ship["home"]?.objectClassName == "Harbour")
    #expect(schema["Location"]?.isEmbedded == true)
    #expect(schema["Lighthouse"] == nil)
  }

  @Test func `linking objects are computed properties, not stored ones`() throws {
    let harbour = try #require(schema["Harbour"])
    #expect(!harbour.properties.contains { $0.name == "ships" })
    let ships = try #require(harbour["ships"])
    #expect(ships.type == .linkingObjects)
    #expect(ships.objectClassName == "Ship")
    #expect(ships.linkOriginPropertyName == "home")
    #expect(harbour.computedProperties.map(\.name) == ["ships", "callers"])
  }
}
