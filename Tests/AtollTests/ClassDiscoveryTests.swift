import Atoll
import Foundation
import Testing

@Suite struct ClassDiscoveryTests {
  @Test func `every model class of the program is found without registration`() {
    let names = Set(ClassDiscovery.classes.map(ModelClass.name))
    #expect(names.isSuperset(of: ["Airport", "Country", "Location", "Inheritor"]))
  }

  @Test func `bases, generic classes and other classes are not found`() {
    let classes = ClassDiscovery.walk()
    #expect(!classes.contains { $0 == Object.self || $0 == EmbeddedObject.self })
    #expect(!classes.contains { ModelClass.name(of: $0).hasPrefix("GenericModel") })
  }

  @Test func `a class below another model class is found`() {
    #expect(ClassDiscovery.walk().contains { $0 == Inheritor.self })
  }

  @Test func `a class that says so is in no store that names no classes`() {
    #expect(ClassDiscovery.walk().contains { $0 == BaseOfOthers.self })
    #expect(!ClassDiscovery.classes.contains { $0 == BaseOfOthers.self })
    #expect(ClassDiscovery.classes.contains { $0 == BasedOnAnother.self })
  }

  @Test func `the toolchain still lays out metadata as the walk expects`() {
    #expect(ClassDiscovery.layoutVersions.found == ClassDiscovery.layoutVersions.known)
  }

  @Test func `every property of a class is found, superclasses first`() {
    let names = ModelClass.of(Inheritor.self).properties.map(\.name)
    #expect(names == ["first", "second", "third"])
  }

  @Test func `reading a field by its reflected offset gives what the property holds`() {
    let object = Inheritor()
    object.second = 0x5EED
    object.third = "end"
    let inputs = ModelClass.of(Inheritor.self).properties.map { $0.anyValue(of: object) }
    #expect(inputs[1] as? Int == 0x5EED)
    #expect(inputs[2] as? String == "end")
  }
}

class Inherited: Object {
  @Persisted(.either) var first: Bool
  var ignored = (1, "not persisted")
  @Persisted(.either) var second: Int
}

final class Inheritor: Inherited {
  @Persisted(.either) var third: String
}

class GenericModel<T>: Object {
  @Persisted(.either) var value: Int
}

class BaseOfOthers: Object {
  @Persisted(primaryKey: true) var id: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { self != BaseOfOthers.self }
}

final class BasedOnAnother: BaseOfOthers {
  @Persisted var name: String
}
