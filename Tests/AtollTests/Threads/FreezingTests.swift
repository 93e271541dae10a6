import Atoll
import AtollStorage
import Dispatch
import Foundation
import StoreTestKit
import Testing

final class Sailor: EmbeddedObject {
  @Persisted(.either) var name: String
  @Persisted(.either) var nickNames: List<String>
}

final class Fleet: Object {
  @Persisted(.either) var name: String
  @Persisted(.either) var ships: List<Ship>
  @Persisted(.either) var tags: MutableSet<String>
  @Persisted(.either) var depths: Map<String, Int>
  @Persisted(.either) var admiral: Sailor?
  @Persisted(.either) var crew: List<Sailor>
  @Persisted(.either) var note: AnyValue
}

private final class FleetTitle: Projection<Fleet> {
  @Projected(\Fleet.name) var title
}

/// An actor without a store of its own.
private actor Thawer {
  private var fleet: Fleet?
  private weak var store: Store?

  func thaw(_ fleet: Fleet, _ harbours: Results<Harbour>) throws -> [String] {
    guard let live = fleet.thaw(), let all = harbours.thaw(), let tags = fleet.tags.thaw(),
      let ships = fleet.ships.thaw()
    else { return [] }
    self.fleet = live
    store = live.store
    let again = fleet.store?.thaw()
    let isOne = all.store === live.store && again === live.store
    let shown = [live.name, "\(all.count)", "\(ships.count)", tags.sorted().last ?? "-"]
    try store?.write { live.name += "!" }
    return shown + ["\(isOne)"]
  }

  var name: String? { fleet?.name }
  var isAlone: Bool { store == nil }
  func letGo() { fleet = nil }
}

/// Frozen things stay as they are, everywhere; thawed ones live.
@Suite struct FreezingTests {
  let folder: TemporaryStore
  let store: Store
  let fleet: Fleet

  init() throws {
    folder = TemporaryStore(Harbour.types + [Fleet.self, Sailor.self])
    let store = try folder.open()
    self.store = store
    fleet = try store.write {
      let kiel = store.create(Harbour.self, value: ["code": "KIEL", "name": "Kiel", "depth": 9])
      let ships = ["Adler", "Bussard"].map { store.create(Ship.self, value: [$0, 12, kiel, []]) }
      return store.create(
        Fleet.self,
        value: [
          "name": "North", "ships": ships, "tags": ["a", "b"], "depths": ["x": 1],
          "admiral": ["name": "Ada", "nickNames": ["A"]],
          "crew": [["name": "Bo", "nickNames": ["B", "C"]]],
          "note": [1, "two"] as AnyValue,
        ] as [String: Any])
    }
  }

  /// Changes everything that the tests have frozen.
  private func change() throws {
    try store.write {
      fleet.name = "South"
      fleet.ships.removeAll()
      fleet.tags.insert("c")
      fleet.depths["y"] = 2
      fleet.admiral = nil
      fleet.crew.removeAll()
      fleet.note = .none
      store.create(Harbour.self, value: ["code": "BREST", "name": "Brest", "depth": 12])
      store.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name = "K"
    }
  }

  /// Returns the contents of a fleet, all of them.
  private static func shown(_ fleet: Fleet) -> [String] {
    var shown = [fleet.name, "\(fleet.ships.count)", fleet.ships.map(\.name).joined()]
    shown.append(fleet.tags.sorted().joined())
    shown.append(fleet.depths.map { "\($0.key)\($0.value)" }.joined())
    shown.append(fleet.admiral.map { "\($0.name)\($0.nickNames.joined())" } ?? "-")
    shown.append(fleet.crew.map { "\($0.name)\($0.nickNames.joined())" }.joined())
    shown.append(fleet.note.listValue.map { "\($0.count)" } ?? "-")
    shown.append(fleet.ships.first?.home?.name ?? "-")
    return shown
  }

  private static let before = [
    "North", "2", "AdlerBussard", "ab", "x1", "AdaA", "BoBC", "2", "Kiel",
  ]
  private static let after = ["South", "0", "", "abc", "x1y2", "-", "", "-", "-"]

  @Test func `a frozen object and all it leads to stay as they were`() throws {
    let frozen = fleet.freeze()
    #expect(frozen.isFrozen && !fleet.isFrozen)
    #expect(frozen.freeze() === frozen)
    try change()
    #expect(Self.shown(frozen) == Self.before)
    #expect(Self.shown(fleet) == Self.after)
    try store.write { store.delete(fleet) }
    #expect(Self.shown(frozen) == Self.before)
    #expect(!frozen.isInvalidated)
  }

  @Test func `what is frozen is read on any thread, by many at once`() throws {
    nonisolated(unsafe) let frozen = (fleet.freeze(), store.objects(Harbour.self).freeze())
    try change()
    let heard = Heard<[String]>()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 {
        var shown = Self.shown(frozen.0)
        shown.append("\(frozen.1.count)\(frozen.1[0].ships.count)")
        shown += frozen.1.where { $0.code == "KIEL" }.sorted(by: \.name).map(\.name)
        heard.note(shown)
      }
    }
    for _ in 0..<400 where heard.next() != Self.before + ["12", "Kiel"] {
      Issue.record("another thread saw something else")
    }
  }

  @Test func `collections are frozen and thawed on their own`() throws {
    let (ships, tags, depths) = (fleet.ships.freeze(), fleet.tags.freeze(), fleet.depths.freeze())
    let (crew, sailor) = (fleet.crew.freeze(), try #require(fleet.crew.first).freeze())
    let nested = try #require(fleet.note.listValue).freeze()
    try change()
    #expect(ships.map(\.name) == ["Adler", "Bussard"] && ships.isFrozen)
    #expect(tags.sorted() == ["a", "b"] && tags.isFrozen)
    #expect(depths["y"] == nil && depths["x"] == 1 && depths.isFrozen)
    #expect(crew.first?.nickNames.count == 2 && sailor.name == "Bo")
    #expect(nested.count == 2)
    #expect(ships.thaw()?.count == 0)
    #expect(tags.thaw()?.count == 3)
    #expect(depths.thaw()?.count == 2)
    #expect(crew.thaw()?.isEmpty == true)
    #expect(sailor.thaw() == nil)
    #expect(fleet.ships.thaw() === fleet.ships)
    try store.write { store.delete(fleet) }
    #expect(ships.thaw() == nil && tags.thaw() == nil && depths.thaw() == nil)
  }

  @Test func `results, linking objects, sections and values are frozen and thawed`() throws {
    let harbours = store.objects(Harbour.self).sorted(by: \.name).freeze()
    let callers = try #require(harbours.first).ships
    let sections = store.objects(Harbour.self).sectioned(by: \.name).freeze()
    let section = try #require(store.objects(Harbour.self).sectioned(by: \.name).first).freeze()
    let tags = fleet.tags.where { $0 != "b" }.freeze()
    try change()
    #expect(harbours.map(\.name) == ["Kiel"] && harbours.isFrozen)
    #expect(callers.count == 2 && callers.isFrozen)
    #expect(sections.allKeys == ["Kiel"] && sections[0].count == 1 && sections.isFrozen)
    #expect(section.key == "Kiel" && section.first?.name == "Kiel" && section.isFrozen)
    #expect(Array(tags) == ["a"] && tags.isFrozen)
    #expect(harbours.thaw()?.map(\.name) == ["Brest", "K"])
    #expect(callers.thaw()?.first?.home?.name == "K")
    #expect(sections.thaw()?.allKeys == ["Brest", "K"])
    #expect(section.thaw() == nil)
    #expect(tags.thaw()?.sorted() == ["a", "c"])
  }

  @Test func `projections are frozen and thawed, one by one and as results`() throws {
    let (one, all) = (
      FleetTitle(projecting: fleet).freeze(), store.objects(FleetTitle.self).freeze()
    )
    try change()
    #expect(one.isFrozen && one.title == "North" && one.freeze() === one)
    #expect(all.isFrozen && all.first?.title == "North")
    #expect(one.thaw()?.title == "South" && all.thaw()?.first?.title == "South")
    try store.write { store.delete(fleet) }
    #expect(one.thaw() == nil && one.title == "North")
  }

  @Test func `a store is frozen once a version, and its frozen things are equal by row`() throws {
    let frozen = store.freeze()
    #expect(store.freeze() === frozen && frozen.freeze() === frozen)
    #expect(fleet.freeze().store === frozen)
    let first = try #require(frozen.objects(Fleet.self).first)
    #expect(first == fleet.freeze() && first.hashValue == fleet.freeze().hashValue)
    #expect(frozen.object(ofType: Harbour.self, forPrimaryKey: "KIEL")?.name == "Kiel")
    #expect(frozen.dynamicObjects("Harbour").first?.name as? String == "Kiel")
    #expect(!frozen.refresh() && !frozen.isInWriteTransaction)
    try change()
    #expect(store.freeze() !== frozen)
    #expect(frozen.objects(Harbour.self).count == 1)
    #expect(frozen.thaw() === store)
    frozen.close()
    frozen.invalidate()
    #expect(first.name == "North")
  }

  @Test func `an object is thawed where it is asked for, and nil if it was deleted`() throws {
    let frozen = fleet.freeze()
    #expect(frozen.thaw()?.isSameObject(as: fleet) == true)
    #expect(fleet.thaw() === fleet)
    try change()
    nonisolated(unsafe) let shared = frozen
    let done = DispatchSemaphore(value: 0)
    let heard = Heard<String>()
    Thread.detachNewThread {
      let live = shared.thaw()
      try? live?.store?.write { live?.name += "!" }
      heard.note("\(live?.name ?? "-") \(live?.isFrozen ?? true)")
      done.signal()
    }
    done.wait()
    #expect(heard.next() == "South! false")
    store.refresh()
    try store.write { store.delete(fleet) }
    #expect(frozen.thaw() == nil)
    #expect(frozen.name == "North")
  }

  @Test func `what is thawed in an actor belongs to the actor, whatever thread it runs on`()
    async throws
  {
    nonisolated(unsafe) let frozen = (fleet.freeze(), store.objects(Harbour.self).freeze())
    try change()
    let thawer = Thawer()
    #expect(try await thawer.thaw(frozen.0, frozen.1) == ["South", "2", "0", "c", "true"])
    // Not the thread that the actor had then.
    for _ in 0..<20 {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume() }
      }
      #expect(await thawer.name == "South!")
    }
    await thawer.letGo()
    #expect(await thawer.isAlone)
  }

  @Test func `what is frozen is what the store shows, not what others have written since`() throws {
    #expect(store.objects(Harbour.self).count == 1)
    let other = try folder.open()
    try other.write { other.create(Harbour.self, value: ["code": "BREST", "depth": 1]) }
    let frozen = store.freeze()
    #expect(frozen.objects(Harbour.self).count == 1)
    // The store goes on showing the same until it moves.
    #expect(store.objects(Harbour.self).count == 1)
    store.refresh()
    #expect(store.objects(Harbour.self).count == 2)
    #expect(frozen.objects(Harbour.self).count == 1)
  }

  @Test func `a frozen version is in use as long as anything of it is kept`() throws {
    var kept: Fleet? = fleet.freeze()
    try change()
    #expect(store.numberOfActiveVersions == 2)
    #expect(kept?.name == "North")
    kept = nil
    #expect(store.numberOfActiveVersions == 1)
  }

  @Test func `freezing every version takes no more files each time`() throws {
    func openFiles() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)")
        return path?.hasPrefix(folder.folder.path) == true
      }.count
    }
    var frozen = fleet.freeze()
    var files: [Int] = []
    for number in 0..<50 {
      try store.write { fleet.name = "\(number)" }
      frozen = fleet.freeze()
      files.append(try openFiles())
    }
    #expect(frozen.name == "49")
    #expect(files.suffix(40).max() == files[9])
  }

  @Test func `an iteration that began before goes on, and one over what is frozen too`() throws {
    try change()
    let live = store.objects(Harbour.self).makeIterator()
    #expect(live.next()?.code == "KIEL")
    let frozen = store.objects(Harbour.self).freeze()
    let rest = frozen.makeIterator()
    #expect(rest.next()?.code == "KIEL")
    try store.write { store.delete(store.objects(Harbour.self).where { $0.code == "BREST" }) }
    #expect(live.next() == nil)
    #expect(rest.next()?.name == "Brest" && rest.next() == nil)
  }

  @Test func `a version that keeps the log long is ended, with an error and no trap`() throws {
    let frozen = fleet.freeze()
    let name = frozen.$name
    let blob = String(repeating: "x", count: 1 << 20)
    for _ in 0..<80 where !frozen.isInvalidated {
      try store.write { fleet.name = blob }
    }
    #expect(frozen.isInvalidated && frozen.store?.isInvalidated == true)
    // The values that were read are still there.
    #expect(frozen.name == "North")
    for read in [{ _ = try name.value() }, { try frozen.store?.keepingVersion {} }] {
      let error = #expect(throws: Store.Error.self) { try read() }
      #expect(error?.code == .versionEnded)
      #expect(error?.message.contains(" s ago on ") == true)
    }
    #expect(frozen.thaw()?.isSameObject(as: fleet) == true)
    #expect(store.objects(Fleet.self).count == 1)
    let again = fleet.freeze()
    // Whoever looks at the log now still finds it long, which is not the new version's fault.
    StoreFile.relieve(folder.file.path)
    #expect(again.name == blob && !again.isInvalidated)
  }

  @Test func `a version is not ended while it is kept`() throws {
    let frozen = fleet.freeze()
    let blob = String(repeating: "x", count: 1 << 20)
    let count = try frozen.store?.keepingVersion {
      for _ in 0..<60 { try store.write { fleet.name = blob } }
      return frozen.ships.count
    }
    #expect(count == 2)
  }

  /// The forbidden uses, and their messages.
  private static let misuses: [(sentence: String, use: @Sendable (FreezingTests) throws -> Void)] =
    [
      ("has no notifications", { _ = $0.fleet.freeze().observe { _ in } }),
      ("has no notifications", { _ = $0.store.objects(Ship.self).freeze().observe { _ in } }),
      ("has no notifications", { _ = $0.store.freeze().observe { _, _ in } }),
      ("which thaw() gives", { $0.fleet.freeze().name = "x" }),
      ("which thaw() gives", { $0.fleet.freeze().tags.insert("x") }),
      ("which thaw() gives", { try $0.store.freeze().write {} }),
      ("inside a write transaction", { test in try test.store.write { _ = test.fleet.freeze() } }),
      ("no store manages", { _ in _ = Fleet().freeze() }),
    ]

  @Test(arguments: 0..<8)
  func `misuse of what is frozen stops with what to do instead`(_ number: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [number = number as Int] in
      try FreezingTests.misuses[number].use(try FreezingTests())
    }
    #expect(said(result, Self.misuses[number].sentence))
  }
}
