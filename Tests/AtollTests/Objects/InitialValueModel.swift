import Atoll
import Foundation
import Synchronization

// Collections with initial values, in the ways that applications declare them.

class Crate: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var label: String = "new"
  @Persisted var list = List<Int>()
  @Persisted private(set) var texts: List<String> = .init()
  @Persisted final var set = MutableSet<String>()
  @Persisted var map = Map<String, Double>()
  @Persisted var optionals = List<Int?>()
  @Persisted var boxes = List<Box<Int>>()
  @Persisted var anything = List<AnyValue>()
  @Persisted var links = List<Crate>()
  @Persisted var linkSet = MutableSet<Crate>()
  @Persisted var linkMap = Map<String, Crate?>()
  @Persisted var slots = List<CrateSlot>()
  @Persisted var slotMap = Map<String, CrateSlot?>()
  @Persisted var slot: CrateSlot? = CrateSlot()
  @Persisted var filled = List([1, 2])

  func append(text: String) { texts.append(text) }
}

final class CrateSlot: EmbeddedObject {
  @Persisted var name = "slot"
  @Persisted var numbers = List<Int>()
  @Persisted var marks = MutableSet<Int>()
  @Persisted var inner: CrateCorner? = CrateCorner()
}

final class CrateCorner: EmbeddedObject {
  @Persisted var weights = Map<String, Int>()
}

final class BigCrate: Crate {
  @Persisted var more = List<String>()
  @Persisted var owners = Map<String, Crate?>()
}

final class CrateView: Projection<Crate> {
  @Projected(\Crate.list) var list
  @Projected(\Crate.set) var set
  @Projected(\Crate.map) var map
  @Projected(\Crate.slot?.numbers) var numbers
  @Projected(\Crate.links.projectTo.label) var labels
}

extension Crate {
  static let types: [ObjectBase.Type] = [
    Crate.self, BigCrate.self, CrateSlot.self, CrateCorner.self,
  ]

  /// Something in every collection.
  func fill(linking other: Crate) {
    list.append(objectsIn: [3, 4])
    append(text: "a")
    set.insert("b")
    map["c"] = 1.5
    optionals.append(objectsIn: [nil, 1])
    boxes.append(Box(7))
    anything.append(objectsIn: [1, "two"])
    links.append(other)
    linkSet.insert(other)
    linkMap["other"] = other
    slots.append(CrateSlot())
    slots[0].numbers.append(5)
    slotMap["d"] = CrateSlot()
    slotMap["d"]??.marks.insert(6)
    slot?.numbers.append(8)
    slot?.inner?.weights["e"] = 9
    filled.append(10)
  }

  /// Tells whether everything that ``fill(linking:)`` put in is there.
  func holdsAll(of other: Crate) -> Bool {
    Array(list) == [3, 4] && Array(texts) == ["a"] && Array(set) == ["b"]
      && map.keys == ["c"] && map["c"] == 1.5
      && Array(optionals) == [nil, 1] && Array(boxes) == [Box(7)]
      && Array(anything) == [1, "two"]
      && links.map(\.id) == [other.id] && linkSet.map(\.id) == [other.id]
      && linkMap["other"]??.id == other.id
      && slots.count == 1 && Array(slots[0].numbers) == [5]
      && slotMap["d"].flatMap { $0 }.map { Array($0.marks) } == [6]
      && slot.map { Array($0.numbers) } == [8] && slot?.inner?.weights["e"] == 9
      && Array(filled) == [1, 2, 10]
  }
}

/// Its `init()` fills it, and not always in the same way.
final class SelfFilling: Object {
  static let fills = Mutex(false)

  @Persisted(primaryKey: true) var id: String
  @Persisted var name: String
  @Persisted var size: Int
  @Persisted var tags: List<String>

  override init() {
    super.init()
    guard Self.fills.withLock({ $0 }) else { return }
    id = "made"
    name = "made by init"
    tags.append("made by init")
    _ = size
  }
}

/// Its `init()` makes its key.
final class SelfNaming: Object {
  @Persisted(primaryKey: true) var id: String
  @Persisted(indexed: true) var code: String
  @Persisted var items = List<String>()

  override init() {
    super.init()
    id = UUID().uuidString
    code = "new"
    items.append("first")
  }
}
