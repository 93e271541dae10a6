import Atoll
import Foundation
import StoreTestKit
import Testing

final class WordsInside: EmbeddedObject {
  @Persisted(indexed: .fullText) var title: String
}

final class PointInside: EmbeddedObject {
  @Persisted(indexed: .spatial) var place: Place?
}

/// An embedded object that is no point: its coordinates are no list.
final class Flat: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: Double
}

final class OnTheFlat: Object {
  @Persisted(indexed: .spatial) var place: Flat?
}

/// Full-text and spatial indexes that cannot be; what the compiler refuses is not among them.
@Suite struct IndexDeclarationTests {
  @Test func `a full-text index inside an embedded class is refused with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(WordsInside.self).validate()
    }
    #expect(said(result, "'WordsInside.title' cannot have a full-text index"))
    #expect(said(result, "Declare the index on a property of the class that embeds it."))
  }

  @Test func `a spatial index inside an embedded class is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(PointInside.self).validate()
    }
    #expect(
      said(result, "'PointInside.place' cannot have a spatial index: 'PointInside' is embedded"))
  }

  @Test func `a spatial index on what is no point is refused with what a point is`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(OnTheFlat.self).validate()
    }
    #expect(said(result, "'OnTheFlat.place' cannot have a spatial index"))
    #expect(said(result, "'type: String' and 'coordinates: List<Double>'"))
  }

  @Test func `a search of a property without the index is refused with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let place = TemporaryStore(Airport.types)
      let store = try place.open()
      _ = store.objects(Airport.self).where { $0.name.search("zurich") }
    }
    #expect(said(result, "Searching 'Airport.name' by words: it has no full-text index."))
  }

  private func said(_ result: ExitTest.Result?, _ sentence: String) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
  }
}
