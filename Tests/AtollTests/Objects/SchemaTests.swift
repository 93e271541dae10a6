import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

/// The results of a declaration: names, keys, indexes, inheritance.
@Suite struct SchemaTests {
  @Test func `rule 9: switching between the mapped and the persisted type needs no migration`()
    throws
  {
    let folder = TemporaryStore([SchemaBefore.SchemaPage.self, Location.self])
    let store = try folder.open()
    try store.write {
      store.create(
        SchemaBefore.SchemaPage.self,
        value: ["link": "https://a.example", "place": [1.0, 2.0], "links": ["https://b.example"]])
    }
    store.close()
    let after = try Store(
      configuration: .init(
        fileURL: folder.file, objectTypes: [SchemaAfter.SchemaPage.self, Location.self]))
    let page = try #require(after.objects(SchemaAfter.SchemaPage.self).first)
    #expect(page.link == URL(string: "https://a.example"))
    #expect(page.place == Coordinate(latitude: 1, longitude: 2))
    #expect(page.links.first == URL(string: "https://b.example"))
    try after.write { page.link = URL(string: "https://c.example") }
    after.close()
    let again = try folder.open()
    #expect(again.objects(SchemaBefore.SchemaPage.self).first?.link == "https://c.example")
  }

  @Test func `rule 9: the schemas of both forms are the same but for rule 10`() {
    let before = SchemaBefore.SchemaPage().objectSchema
    let after = SchemaAfter.SchemaPage().objectSchema
    #expect(before.className == after.className)
    for (a, b) in zip(before.properties, after.properties) {
      #expect(a.name == b.name && a.type == b.type && a.isOptional == b.isOptional)
      #expect(a.isArray == b.isArray && a.objectClassName == b.objectClassName)
    }
  }

  @Test func `rule 10: of embedded mappings a single one is optional, a list is not`() {
    let schema = SchemaAfter.SchemaPage().objectSchema
    #expect(schema["place"]?.isOptional == true)
    #expect(schema["place"]?.objectClassName == "Location")
    #expect(schema["links"]?.isOptional == false)
    #expect(Tagged().objectSchema["options"]?.isOptional == false)
  }

  @Test func `rule 2: a type mapped to an Object is refused when the class is looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(MapsToObject.self).validate()
    }
    #expect(said(result, "Property 'MapsToObject.capital': its type is mapped to 'Country'"))
    #expect(said(result, "A mapped type is stored as a scalar or as an EmbeddedObject."))
  }

  @Test func `rules 2 and 3: optionals, collections and mapped types are no persisted types`() {
    func isPersisted(_ type: Any.Type) -> Bool { type is any _BuiltinPersistable.Type }
    #expect(isPersisted(Int.self) && isPersisted(Data.self) && isPersisted(Location.self))
    #expect(!isPersisted(Int?.self) && !isPersisted(List<Int>.self))
    #expect(!isPersisted(Wrapped.self) && !isPersisted(Coordinate.self))
  }

  @Test func `a subclass has its parent's properties first, and a table of its own`() throws {
    let folder = TemporaryStore([SchemaVehicle.self, SchemaTruck.self])
    let store = try folder.open()
    try store.write {
      store.create(SchemaVehicle.self, value: ["plate": "A 1"])
      store.create(SchemaTruck.self, value: ["B 2", 4, 7.5])
    }
    #expect(SchemaTruck().objectSchema.properties.map(\.name) == ["plate", "wheels", "load"])
    #expect(SchemaTruck().objectSchema.primaryKeyProperty?.name == "plate")
    #expect(store.objects(SchemaVehicle.self).map(\.plate) == ["A 1"])
    let truck = try #require(store.object(ofType: SchemaTruck.self, forPrimaryKey: "B 2"))
    #expect(truck.wheels == 4 && truck.load == 7.5)
    #expect(truck.summary == "B 2 on 4 wheels")
  }

  @Test func `a property declared again in a subclass is an error with its name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SchemaRepeating.self).validate()
    }
    #expect(said(result, "Property 'SchemaRepeating._plate' is declared twice"))
  }

  @Test func `a mapped name is the column's; everything else speaks the public name`() throws {
    let folder = TemporaryStore([SchemaRenamed.self])
    let store = try folder.open()
    try store.write { store.create(SchemaRenamed.self, value: ["key": 1, "title": "one"]) }
    #expect(SchemaRenamed().objectSchema["title"]?.columnName == "name")
    #expect(SchemaRenamed().objectSchema.primaryKeyProperty?.columnName == "number")
    #expect(store.objects(SchemaRenamed.self).where { $0.title == "one" }.count == 1)
    #expect(store.objects(SchemaRenamed.self).sorted(by: \.title).first?.title == "one")
    #expect(store.object(ofType: SchemaRenamed.self, forPrimaryKey: 1)?.title == "one")
    let file = try StoreFile.open(folder.file.path)
    let stored = try #require(try file.storedClass(named: "SchemaRenamed"))
    #expect(stored.property(named: "name")?.type == .string)
    #expect(stored.property(named: "title") == nil)
    #expect(stored.key?.name == "number")
    file.close()
  }

  @Test func `a leading underscore is dropped in the file`() throws {
    let folder = TemporaryStore([SchemaUnderscored.self])
    let store = try folder.open()
    let id = ObjectId.generate()
    try store.write { store.create(SchemaUnderscored.self, value: ["_id": id]) }
    #expect(store.object(ofType: SchemaUnderscored.self, forPrimaryKey: id)?._id == id)
    #expect(SchemaUnderscored().objectSchema["_id"]?.columnName == "id")
  }

  @Test func `two properties of one name in the file are refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SchemaSameColumn.self).validate()
    }
    #expect(said(result, "Property 'SchemaSameColumn.b' and 'SchemaSameColumn.a' are both named"))
  }

  @Test func `properties that are not persisted, computed, lazy or listed are not stored`() throws {
    let folder = TemporaryStore([SchemaIgnoring.self])
    let store = try folder.open()
    let object = SchemaIgnoring(value: ["name": "x"])
    object.scratch = 5
    try store.write { store.add(object) }
    #expect(object.objectSchema.properties.map(\.name) == ["name"])
    #expect(object.scratch == 5)
    object.scratch = 6
    #expect(object.scratch == 6)
    let again = try #require(store.objects(SchemaIgnoring.self).first)
    #expect(again.scratch == 3 && again.fresh == "" && again.shout == "X" && again.late == "x!")
    again.fresh = "kept in memory, outside a transaction"
    #expect(again.fresh.hasPrefix("kept"))
  }

  @Test func `class functions declare key and indexes as the wrapper's arguments do`() throws {
    let folder = TemporaryStore([SchemaLegacy.self])
    let store = try folder.open()
    let schema = SchemaLegacy().objectSchema
    #expect(schema.primaryKeyProperty?.name == "code")
    #expect(schema["name"]?.isIndexed == true && schema["size"]?.isIndexed == false)
    try store.write { store.create(SchemaLegacy.self, value: ["x", "y", 1]) }
    #expect(store.object(ofType: SchemaLegacy.self, forPrimaryKey: "x")?.name == "y")
  }

  @Test func `a class function that names no property is refused with those there are`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SchemaMisspelt.self).validate()
    }
    #expect(said(result, "Class 'SchemaMisspelt': indexedProperties() names 'nme'"))
    #expect(said(result, "It has: name."))
  }

  @Test func `rule 58: a class function cannot make a key of what cannot be one`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SchemaDoubleKey.self).validate()
    }
    #expect(said(result, "Property 'SchemaDoubleKey.height' cannot be a primary key"))
    #expect(said(result, "is stored as Double. Possible are Int, String, UUID, ObjectId."))
  }

  @Test func `a nested and a private class have the names of their types`() {
    #expect(SchemaBefore.SchemaPage.className() == "SchemaPage")
    #expect(SchemaPrivate.className() == "SchemaPrivate")
    #expect(SchemaOwnName.className() == "Other")
    #expect(SchemaOwnName().objectSchema.className == "Other")
  }

  @Test func `observers of a persisted property see unmanaged and managed writes`() throws {
    let folder = TemporaryStore([SchemaObserved.self])
    let store = try folder.open()
    let object = SchemaObserved()
    object.name = "a"
    #expect(object.seen == ["will a", "did "])
    try store.write {
      store.add(object)
      object.name = "b"
    }
    #expect(object.seen == ["will a", "did ", "will b", "did a"])
    #expect(object.name == "b")
  }

  @Test func `accessors of one row have one id, instances have their own`() throws {
    let folder = TemporaryStore([SchemaListed.self, SchemaListedPart.self])
    let store = try folder.open()
    let instances = [SchemaListed(), SchemaListed()]
    #expect(instances[0].id != instances[1].id)
    try store.write {
      store.create(SchemaListed.self, value: ["a"])
      store.create(SchemaListed.self, value: ["b"])
    }
    let ids = store.objects(SchemaListed.self).map(\.id)
    #expect(Set(ids).count == 2)
    #expect(store.objects(SchemaListed.self).map(\.id) == ids)
    #expect(store.freeze().objects(SchemaListed.self).map(\.id) == ids)
  }

  @Test func `embedded objects of one row have ids of their own`() throws {
    let folder = TemporaryStore([SchemaListed.self, SchemaListedPart.self])
    let store = try folder.open()
    let owner = try store.write {
      store.create(
        SchemaListed.self, value: ["a", ["b"], ["b"], [["b"], ["b"], ["c"]]] as [Any])
    }
    func ids(_ owner: SchemaListed) -> [UInt64] {
      [owner.id, owner.first?.id ?? 0, owner.second?.id ?? 0] + owner.parts.map(\.id)
    }
    let before = ids(owner)
    #expect(Set(before).count == 6)
    #expect(ids(owner) == before && ids(owner.freeze()) == before)
    try store.write { owner.parts.remove(at: 0) }
    #expect(owner.parts.map(\.id) == Array(before.suffix(2)))
  }
}

private final class SchemaPrivate: Object {
  @Persisted(.either) var name: String
}
