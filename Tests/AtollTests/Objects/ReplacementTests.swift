import Atoll
import StoreTestKit
import Testing

/// The accessor of an embedded object when another takes its place.
@Suite struct ReplacementTests {
  private let folder: TemporaryStore
  private let store: Store
  private let yard: Yard

  init() throws {
    folder = TemporaryStore([Yard.self, Shed.self, Rack.self])
    let store = try folder.open()
    yard = try store.write {
      store.create(
        Yard.self, value: ["id": 1, "shed": ["name": "old", "rack": ["books": ["a"]]]])
    }
    self.store = store
  }

  @Test func `rule 33: it is invalidated with all that was inside`() throws {
    let shed = try #require(yard.shed)
    let rack = try #require(shed.rack)
    let books = rack.books
    let tools = shed.tools
    try store.write { yard.shed = Shed(value: ["name": "new", "rack": ["books": ["b"]]]) }
    #expect(shed.isInvalidated && rack.isInvalidated)
    #expect(books.isInvalidated && tools.isInvalidated)
    #expect(yard.shed?.name == "new" && yard.shed?.rack.map { Array($0.books) } == ["b"])
    #expect(yard.shed?.isInvalidated == false && !shed.isSameObject(as: yard.shed))
  }

  @Test func `rule 33: it is invalidated when only what is around it is replaced`() throws {
    let rack = try #require(yard.shed?.rack)
    try store.write { yard.shed?.rack = Rack() }
    #expect(rack.isInvalidated && yard.shed?.isInvalidated == false)
    let second = try #require(yard.shed?.rack)
    try store.write { yard.shed = nil }
    #expect(second.isInvalidated)
  }

  @Test func `rule 33: in lists and maps likewise, and in slots inside their elements`() throws {
    try store.write {
      yard.sheds.append(Shed(value: ["name": "a", "rack": ["books": ["x"]]]))
      yard.byName["b"] = Shed(value: ["name": "b", "rack": ["books": ["y"]]])
    }
    let held = [try #require(yard.sheds.first), try #require(yard.byName["b"] ?? nil)]
    let racks = held.compactMap(\.rack)
    let books = racks.map(\.books)
    try store.write { for shed in held { shed.rack = Rack(value: ["books": ["z"]]) } }
    #expect(racks.map(\.isInvalidated) == [true, true])
    #expect(books.map(\.isInvalidated) == [true, true])
    #expect(held.map(\.isInvalidated) == [false, false])
    #expect(held.map { $0.rack.map { Array($0.books) } } == [["z"], ["z"]])
    try store.write {
      yard.sheds[0] = Shed()
      yard.byName["b"] = Shed()
    }
    #expect(held.map(\.isInvalidated) == [true, true])
    let last = [try #require(yard.sheds.first), try #require(yard.byName["b"] ?? nil)]
    try store.write {
      yard.sheds.removeAll()
      yard.byName["b"] = nil
      yard.sheds.append(Shed())
      yard.byName["b"] = Shed()
    }
    #expect(last.map(\.isInvalidated) == [true, true])
  }

  @Test func `what was assigned becomes the accessor, and stays so`() throws {
    let rack = Rack(value: ["books": ["b"]])
    let shed = Shed(value: ["name": "new"])
    shed.rack = rack
    try store.write { yard.shed = shed }
    #expect(!shed.isInvalidated && !rack.isInvalidated)
    try store.write {
      shed.name = "newer"
      rack.books.append("c")
    }
    #expect(yard.shed?.name == "newer" && shed.isSameObject(as: yard.shed))
    #expect(rack.isSameObject(as: yard.shed?.rack) && Array(rack.books) == ["b", "c"])
    let made = Yard(value: ["id": 2])
    let inside = Shed(value: ["rack": ["books": ["d"]]])
    made.shed = inside
    try store.write { store.add(made) }
    #expect(!inside.isInvalidated && inside.isSameObject(as: made.shed))
    #expect(inside.rack.map { Array($0.books) } == ["d"])
    let sheds = [Shed(value: ["name": "a"]), Shed(value: ["name": "b"]), Shed(), Shed()]
    try store.write {
      yard.sheds.append(sheds[0])
      yard.byName["k"] = sheds[1]
      yard.sheds[0] = sheds[2]
      yard.byName["k"] = sheds[3]
    }
    #expect(sheds.map(\.isInvalidated) == [true, true, false, false])
    #expect(sheds[2].isSameObject(as: yard.sheds.first))
  }

  @Test func `a transaction that is given up brings the old one back`() throws {
    let shed = try #require(yard.shed)
    try store.beginWrite()
    yard.shed = Shed(value: ["name": "new"])
    #expect(shed.isInvalidated)
    store.cancelWrite()
    #expect(!shed.isInvalidated && shed.name == "old")
  }

  @Test func `another replica's assignment ends it, its edits inside do not`() throws {
    let shed = try #require(yard.shed)
    let other = try folder.open()
    let theirs = try #require(other.object(ofType: Yard.self, forPrimaryKey: 1))
    try other.write { theirs.shed?.name = "edited" }
    store.refresh()
    #expect(!shed.isInvalidated && shed.name == "edited")
    try other.write { theirs.shed = Shed(value: ["name": "new"]) }
    store.refresh()
    #expect(shed.isInvalidated && yard.shed?.name == "new")
  }

  @Test func `its observer is told that it is deleted`() throws {
    let shed = try #require(yard.shed)
    let reports = Heard<String>()
    let token = shed.observe(on: reports.queue) { change in
      switch change {
      case .change(_, let changes): reports.note("changed \(changes.map(\.name))")
      case .deleted: reports.note("deleted")
      case .error(let error): reports.note("\(error)")
      }
    }
    try store.write { shed.name = "edited" }
    #expect(reports.next() == "changed [\"name\"]")
    try store.write { yard.shed = Shed() }
    #expect(reports.next() == "deleted")
    token.invalidate()
  }

  @Test(arguments: Misuse.allCases)
  func `rule 33: using it stops with what to ask before`(_ misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse] in
      try ReplacementTests().commit(misuse)
    }
    #expect(said(result, "\(misuse.sentence) of an embedded object of class 'Shed'"))
  }

  enum Misuse: String, CaseIterable, Codable {
    case read, write, list, increment

    var sentence: String {
      switch self {
      case .read: "Reading 'Shed.name'"
      case .write: "Assigning 'Shed.name'"
      case .list: "Reading the list 'Shed.tools'"
      case .increment: "Incrementing 'Shed.visits' by 1"
      }
    }
  }

  private func commit(_ misuse: Misuse) throws {
    guard let shed = yard.shed else { return }
    let tools = shed.tools
    try store.write {
      yard.shed = Shed()
      switch misuse {
      case .read: _ = shed.name
      case .write: shed.name = "x"
      case .list: _ = tools.count
      case .increment: shed.$visits.increment()
      }
    }
  }
}

final class Yard: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var shed: Shed?
  @Persisted(.either) var sheds: List<Shed>
  @Persisted(.either) var byName: Map<String, Shed?>
}

final class Shed: EmbeddedObject {
  @Persisted(.either) var name: String
  @Persisted(.either) var visits: Int
  @Persisted(.either) var rack: Rack?
  @Persisted(.either) var tools: List<String>
}

final class Rack: EmbeddedObject {
  @Persisted(.either) var books: List<String>
}
