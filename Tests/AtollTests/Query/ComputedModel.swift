import Atoll
import Foundation

/// Has a name of its own, as many of an application's classes do.
protocol Priced {
  var price: Int { get }
}

extension Priced {
  var doublePrice: Int { price * 2 }
}

class Gadget: Object, Priced {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var price: Int
  @Persisted var name: String
  @Persisted var note: String?
  @Persisted var isDone: Bool
  @Persisted var isHidden: Bool
  @Persisted var made = Date(timeIntervalSinceReferenceDate: 5)
  @Persisted var ratio: Double
  @Persisted var level = GadgetLevel.low
  @Persisted var optionalLevel: GadgetLevel?
  @Persisted var place: Coordinate
  @Persisted var rule: Box<Int>
  @Persisted var anything: AnyValue
  @Persisted var next: Gadget?
  @Persisted var spare: Gadget?
  @Persisted var part: GadgetPart?
  @Persisted var list: List<Int>
  @Persisted var parts: List<GadgetPart>
  @Persisted var others: List<Gadget>

  // Computed from one property.
  var double: Int { price * 2 }
  var minimum: Int { min(price, 1_000_000) }
  var magnitude: Int { abs(price) }
  var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
  var title: String { name.isEmpty ? "untitled" : name }
  var firstLetter: String { name.first.map(String.init) ?? "" }
  var brief: String { String(name.prefix(200)) }
  var certain: String { note ?? "" }
  var noteOrDash: String? { note ?? "-" }
  var isOpen: Bool { !isDone }
  var day: Date { Date(timeIntervalSinceReferenceDate: floor(made.timeIntervalSinceReferenceDate)) }
  var rounded: Double { ratio.rounded() }
  var raised: GadgetLevel { level == .high ? .low : level }
  var raisedOptional: GadgetLevel? { optionalLevel ?? .middle }
  var north: Coordinate { Coordinate(latitude: abs(place.latitude), longitude: place.longitude) }
  var looser: Box<Int> { Box(max(rule.value, 0)) }
  var plain: AnyValue { anything.boolValue == nil ? anything : 0 }
  var copied: List<Int> { List(list) }
  var listCount: Int { list.count }
  // Computed from several.
  var isActive: Bool { isDone && !isHidden }
  var full: String { "\(name) \(price)" }
  var either: Gadget? { next ?? spare }
  var nextPrice: Int { next?.price ?? 0 }
  var nextName: String? { next?.name }
  var chain: Int { (next?.chain ?? 0) + 1 }
  // From none.
  var fixed: Int { 7 }
  // Unchanged.
  var alias: Int { price }
  var linkAlias: Gadget? { next }
  var listAlias: List<Int> { list }
}

final class SpecialGadget: Gadget {
  @Persisted var own: Int
  var triple: Int { price * 3 }
  override var title: String { super.title + "!" }
}

final class GadgetPart: EmbeddedObject {
  @Persisted var size: Int
  @Persisted var deeper: GadgetDepth?
  var half: Int { size / 2 }
}

final class GadgetDepth: EmbeddedObject {
  @Persisted var depth: Int
  var negative: Int { -depth }
}

enum GadgetLevel: String, PersistableEnum {
  case low, middle, high
}

/// The key paths of generic code, through a protocol that knows nothing of what is stored.
enum GenericPaths {
  static func price<T: Object & Priced>(of: T.Type) -> KeyPath<T, Int> { \T.price }
  static func doublePrice<T: Object & Priced>(of: T.Type) -> KeyPath<T, Int> { \T.doublePrice }
}

final class GadgetView: Projection<Gadget> {
  @Projected(\Gadget.double) var double
  @Projected(\Gadget.full) var full
  @Projected(\Gadget.next?.price) var following
}

extension Gadget {
  static let types: [ObjectBase.Type] = [
    Gadget.self, SpecialGadget.self, GadgetPart.self, GadgetDepth.self, Location.self,
  ]
}
