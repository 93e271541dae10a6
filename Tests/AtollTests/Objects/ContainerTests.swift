import Atoll
import Foundation
import Testing

/// Rule 11: which containers a type may be in, class by class.
@Suite struct ContainerTests {
  private func refusal(_ result: ExitTest.Result?, _ property: String, _ sentence: String) -> Bool {
    said(result, "Property '\(property)': \(sentence)")
  }

  @Test func `rule 11: a list of optional embedded mappings is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(OptionalEmbeddedList.self).validate()
    }
    #expect(
      refusal(
        result, "OptionalEmbeddedList.line", "a List cannot hold optional embedded objects"))
  }

  @Test func `rule 11: a list of optional objects is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(OptionalObjectList.self).validate()
    }
    #expect(refusal(result, "OptionalObjectList.all", "a List cannot hold optional objects"))
  }

  @Test func `rule 11: lists hold embedded mappings, required and optional scalars`() {
    ModelClass.of(AllowedLists.self).validate()
    let schema = AllowedLists().objectSchema
    #expect(schema["line"]?.isOptional == false && schema["line"]?.objectClassName == "Location")
    #expect(schema["links"]?.isOptional == false && schema["maybe"]?.isOptional == true)
  }
}

final class OptionalEmbeddedList: Object {
  @Persisted(.either) var line: List<Coordinate?>
}

final class OptionalObjectList: Object {
  @Persisted(.either) var all: List<Country?>
}

final class AllowedLists: Object {
  @Persisted(.either) var line: List<Coordinate>
  @Persisted(.either) var links: List<URL>
  @Persisted(.either) var maybe: List<URL?>
}
