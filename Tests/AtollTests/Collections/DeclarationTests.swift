import Atoll
import Testing

@Suite struct CollectionDeclarationTests {
  @Test func `rule 11: a set of embedded mappings is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(EmbeddedSet.self).validate()
    }
    #expect(
      said(result, "Property 'EmbeddedSet.places': a MutableSet cannot hold embedded objects"))
  }

  @Test func `a set of optional objects is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(OptionalLinkSet.self).validate()
    }
    #expect(said(result, "a MutableSet cannot hold optional objects; write MutableSet<Model>."))
  }

  @Test func `a map of objects that are not optional is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(RequiredLinkMap.self).validate()
    }
    #expect(said(result, "the objects of a Map must be optional; write Map<String, Model?>."))
  }

  @Test func `rule 11: lists of embedded mappings and maps of optional ones are allowed`() {
    ModelClass.of(Routes.self).validate()
    #expect(Routes().line.isEmpty)
  }
}

final class EmbeddedSet: Object {
  @Persisted(.either) var places: MutableSet<Coordinate>
}

final class OptionalLinkSet: Object {
  @Persisted(.either) var countries: MutableSet<Country?>
}

final class RequiredLinkMap: Object {
  @Persisted(.either) var countries: Map<String, Country>
}

final class Routes: Object {
  @Persisted(.either) var line: List<Coordinate>
  @Persisted(.either) var places: List<Location>
  @Persisted(.either) var named: Map<String, Coordinate>
  @Persisted(.either) var maybe: Map<String, Coordinate?>
  @Persisted(.either) var held: Map<String, Location?>
}
