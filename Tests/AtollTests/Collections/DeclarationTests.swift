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
  @Persisted var places: MutableSet<Coordinate>
}

final class OptionalLinkSet: Object {
  @Persisted var countries: MutableSet<Country?>
}

final class RequiredLinkMap: Object {
  @Persisted var countries: Map<String, Country>
}

final class Routes: Object {
  @Persisted var line: List<Coordinate>
  @Persisted var places: List<Location>
  @Persisted var named: Map<String, Coordinate>
  @Persisted var maybe: Map<String, Coordinate?>
  @Persisted var held: Map<String, Location?>
}
