import Atoll
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// Observers of one object.
@Suite struct ObjectObservationTests {
  let harbours: HarbourStore
  let store: Store
  let queue = DispatchQueue(label: "object observer")
  let heard = Heard<[String]>()

  init() throws {
    harbours = try HarbourStore()
    store = harbours.store
  }

  private func observe<T: ObjectBase & ObservableObjectBase>(
    _ object: T, keyPaths: [String]? = nil
  ) -> NotificationToken {
    object.observe(keyPaths: keyPaths, on: queue) { [heard] in heard.note($0.text) }
  }

  /// Writes as a peer might.
  private func store(_ value: PersistedValue, in name: String) throws {
    let file = try StoreFile.open(harbours.folder.file.path)
    let harbour = try #require(try file.storedClass(named: "Harbour"))
    let property = try #require(harbour.property(named: name))
    let id = try #require(try file.find(harbour.id, key: .string("KIEL")))
    try file.beginWrite()
    try file.assign(harbour.id, id: id, FieldPath(property), .scalar(value))
    _ = try file.commitWrite()
    file.close()
  }

  @Test func `rule 64: changes of mapped properties carry stored values`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = observe(kiel)
    try store.write {
      kiel.website = nil
      kiel.depth = Fathoms(4)
    }
    #expect(heard.next() == ["website: https://kiel.example → nil", "depth: 9 → 4"])
    token.invalidate()
  }

  @Test func `rule 64: an embedded mapping is reported as embedded objects`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = kiel.observe(on: queue) { [heard] change in
      guard case .change(_, let changes) = change, let change = changes.first,
        let old = change.oldValue as? Location, let new = change.newValue as? Location
      else { return heard.note([]) }
      heard.note([change.name, "\(old.latitude) \(new.latitude)"])
    }
    try store.write { kiel.entrance = Coordinate(latitude: 1, longitude: 2) }
    #expect(heard.next() == ["entrance", "54.4 1.0"])
    token.invalidate()
  }

  @Test func `an observer sees what a peer wrote, stored, convertible or not`() throws {
    let token = observe(harbours.harbour("KIEL"))
    try store(.int(500), in: "depth")
    #expect(heard.next() == ["depth: 9 → 500"])
    token.invalidate()
  }

  @Test func `there is no initial call, and an assignment of the same value counts`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = observe(kiel)
    try store.write { harbours.harbour("BREST").name = "B" }
    try store.write { kiel.name = "Kiel" }
    #expect(heard.next() == ["name: Kiel → Kiel"])
    token.invalidate()
  }

  @Test func `deletion is the last that is told`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = observe(kiel)
    try store.write { store.delete(kiel) }
    #expect(heard.next() == ["deleted"])
    token.invalidate()
  }

  @Test func `collections are reported by name alone`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = observe(kiel)
    try store.write { kiel.piers.append(9) }
    #expect(heard.next() == ["piers: nil → nil"])
    token.invalidate()
  }

  @Test func `key paths choose properties, also of what is linked to`() throws {
    let adler = harbours.ship("Adler")
    let token = observe(adler, keyPaths: ["crew", "home.name"])
    try store.write { adler.name = "Not told" }
    try store.write { harbours.harbour("KIEL").website = nil }
    try store.write { harbours.harbour("BREST").name = "Not told" }
    try store.write { adler.crew = 5 }
    #expect(heard.next() == ["crew: 12 → 5"])
    try store.write { harbours.harbour("KIEL").name = "K" }
    #expect(heard.next()?.count == 1)
    try store.write { adler.home = nil }
    #expect(heard.next()?.first?.hasPrefix("home: ") == true)
    token.invalidate()
  }

  @Test func `a key path into a list means its elements, the list alone its membership`() throws {
    let adler = harbours.ship("Adler")
    let members = Heard<[String]>()
    let names = Heard<[String]>()
    let tokens = [
      adler.observe(keyPaths: ["calls"], on: queue) {
        members.note($0.text)
      },
      adler.observe(keyPaths: ["calls.name"], on: queue) {
        names.note($0.text)
      },
    ]
    try store.write { harbours.harbour("BREST").name = "B" }
    #expect(names.next() == ["calls: nil → nil"])
    try store.write { adler.calls.removeLast() }
    #expect(names.next() == ["calls: nil → nil"])
    #expect(members.next() == ["calls: nil → nil"])
    #expect(members.next(within: 0) == nil)
    for token in tokens { token.invalidate() }
  }

  @Test func `rule 69: Swift key paths name mapped properties and collections`() throws {
    let kiel = harbours.harbour("KIEL")
    let token = kiel.observe(
      keyPaths: [\Harbour.website, \Harbour.piers, \Harbour.entrance], on: queue
    ) { [heard] in heard.note($0.text) }
    try store.write { kiel.name = "Not told" }
    try store.write { kiel.website = nil }
    #expect(heard.next() == ["website: https://kiel.example → nil"])
    try store.write { kiel.piers.removeAll() }
    #expect(heard.next() == ["piers: nil → nil"])
    token.invalidate()
  }

  @Test func `a member of an embedded object is a key path of its own`() throws {
    let kiel = harbours.harbour("KIEL")
    let shallow = Heard<[String]>()
    let token = observe(kiel, keyPaths: ["entrance.latitude"])
    let other = kiel.observe(keyPaths: ["entrance.longitude"], on: queue) {
      shallow.note($0.text)
    }
    let location = try #require(kiel["entrance"] as? Location)
    try store.write { location.latitude = 1 }
    #expect(heard.next()?.count == 1)
    try store.write { kiel.entrance.longitude = 2 }
    #expect(shallow.next()?.count == 1)
    #expect(shallow.next(within: 0) == nil)
    token.invalidate()
    other.invalidate()
  }

  @Test func `dynamic objects are observed too`() throws {
    let kiel = try #require(store.dynamicObject(ofType: "Harbour", forPrimaryKey: "KIEL"))
    let token = observe(kiel)
    try store.write { kiel.depth = 3 }
    #expect(heard.next() == ["depth: 9 → 3"])
    token.invalidate()
  }

  @Test @MainActor func `the changes of an object come as a sequence that ends with it`()
    async throws
  {
    let store = try harbours.folder.open()
    let kiel = try #require(store.object(ofType: Harbour.self, forPrimaryKey: "KIEL"))
    var changes = kiel.changes().makeAsyncIterator()
    let other = try harbours.folder.open()
    try other.write {
      other.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = "K"
    }
    guard case .change(let object, let properties)? = try await changes.next() else {
      Issue.record("The first is no change.")
      return
    }
    #expect(object === kiel)
    #expect(properties.map(\.name) == ["name"])
    try other.write {
      if let kiel = other.object(ofType: Harbour.self, forPrimaryKey: "KIEL") { other.delete(kiel) }
    }
    guard case .deleted? = try await changes.next() else {
      Issue.record("The second is no deletion.")
      return
    }
    #expect(try await changes.next() == nil)
  }

  @Test func `an unknown key path stops where it is written`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let harbours = try HarbourStore()
      _ = harbours.ship("Adler").observe(keyPaths: ["home.captain"]) { _ in }
    }
    #expect(said(result, "key path 'home.captain': class 'Harbour' has no property 'captain'"))
  }

  @Test func `an object without a store cannot be observed`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Ship().observe { _ in }
    }
    #expect(said(result, "Observing an object of class 'Ship' that no store manages."))
  }
}

extension ObjectChange {
  fileprivate var text: [String] {
    switch self {
    case .change(_, let changes):
      changes.map { "\($0.name): \($0.oldValue ?? "nil") → \($0.newValue ?? "nil")" }
    case .deleted: ["deleted"]
    case .error(let error): ["\(error)"]
    }
  }
}
