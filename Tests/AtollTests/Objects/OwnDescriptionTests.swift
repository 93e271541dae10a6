import Atoll
import Foundation
import StoreTestKit
import Testing

/// A class that describes and compares its objects in its own way.
final class OwnWords: Object {
  @Persisted(.either) var word: String
  @Persisted(.either) var next: OwnWords?

  override var description: String { "the word '\(word)'" }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? OwnWords else { return false }
    return word == other.word
  }

  override var hash: Int { word.hashValue }
}

/// A name of signs that are no letters.
final class Emblem: Object {
  @Persisted(.either) var 柱колоéнǢкƱаم👍: String
  @Persisted(.either) var 🦅℃: Int
}

@Suite struct OwnDescriptionTests {
  @Test func `a class can say how its objects are described and compared`() throws {
    let (a, b) = (OwnWords(value: ["a"]), OwnWords(value: ["a"]))
    #expect("\(a)" == "the word 'a'" && a.description == b.description)
    #expect(a == b && a.isEqual(b) && a.hashValue == b.hashValue && Set([a, b]).count == 1)
    #expect(a != OwnWords(value: ["b"]) && !a.isEqual(nil) && !a.isEqual("a"))
    let folder = TemporaryStore([OwnWords.self])
    let store = try folder.open()
    try store.write {
      store.add([a, b])
      a.next = b
    }
    #expect(a == b && !a.isSameObject(as: b) && store.objects(OwnWords.self).count == 2)
    #expect("\(try #require(store.objects(OwnWords.self).first))" == "the word 'a'")
  }

  @Test func `without its own way a class has objects with identity`() {
    let (a, b) = (GraphNote(), GraphNote())
    #expect(a != b && a.isEqual(a) && !a.isEqual(b) && a.hash == a.hash)
    #expect(a.description.hasPrefix("GraphNote {"))
  }

  @Test func `names of any signs that Swift allows are read in predicates`() throws {
    let folder = TemporaryStore([Emblem.self])
    let store = try folder.open()
    let text = "значен™👍☞"
    try store.write { store.create(Emblem.self, value: [text, 3]) }
    let all = store.objects(Emblem.self)
    #expect(all.filter("%K == %@", "柱колоéнǢкƱаم👍", text).count == 1)
    #expect(all.filter("柱колоéнǢкƱаم👍 == %@ AND 🦅℃ >= 3", text).count == 1)
    #expect(all.sorted(byKeyPath: "🦅℃").first?.🦅℃ == 3)
    var printed = ("", [Any]())
    _ = all.where {
      let condition = $0.🦅℃ > 2
      printed = condition._constructPredicate()
      return condition
    }
    #expect(try all.filter(parsing: printed.0, all: printed.1).count == 1)
  }
}
