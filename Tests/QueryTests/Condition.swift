import Atoll
import Foundation

/// A condition in three forms: for plain values, type-safe, and as text.
indirect enum Condition {
  case leaf(Leaf)
  case all([Condition])
  case any([Condition])
  case not(Condition)

  func holds(_ object: PlainObject, in world: World) -> Bool {
    switch self {
    case .leaf(let leaf): leaf.holds(world, object)
    case .all(let parts): parts.allSatisfy { $0.holds(object, in: world) }
    case .any(let parts): parts.contains { $0.holds(object, in: world) }
    case .not(let part): !part.holds(object, in: world)
    }
  }

  func query(_ query: Query<Wide>) -> Query<Bool> {
    switch self {
    case .leaf(let leaf): leaf.query(query)
    case .all(let parts): parts.dropFirst().reduce(parts[0].query(query)) { $0 && $1.query(query) }
    case .any(let parts): parts.dropFirst().reduce(parts[0].query(query)) { $0 || $1.query(query) }
    case .not(let part): !part.query(query)
    }
  }

  /// The text, with its arguments appended to `arguments`.
  func text(_ arguments: inout [Any?]) -> String {
    switch self {
    case .leaf(let leaf):
      arguments += leaf.arguments
      return leaf.text
    case .all(let parts):
      return "(" + parts.map { $0.text(&arguments) }.joined(separator: " AND ") + ")"
    case .any(let parts):
      return "(" + parts.map { $0.text(&arguments) }.joined(separator: " OR ") + ")"
    case .not(let part): return "NOT (\(part.text(&arguments)))"
    }
  }

  /// Conditions that are smaller by one step.
  var smaller: [Condition] {
    switch self {
    case .leaf: []
    case .all(let parts):
      parts + Self.without(parts).map { .all($0) } + Self.changed(parts).map { .all($0) }
    case .any(let parts):
      parts + Self.without(parts).map { .any($0) } + Self.changed(parts).map { .any($0) }
    case .not(let part): [part] + part.smaller.map { .not($0) }
    }
  }

  private static func without(_ parts: [Condition]) -> [[Condition]] {
    guard parts.count > 1 else { return [] }
    return parts.indices.map { index in
      var fewer = parts
      fewer.remove(at: index)
      return fewer
    }
  }

  private static func changed(_ parts: [Condition]) -> [[Condition]] {
    parts.indices.flatMap { index in
      parts[index].smaller.map { part in
        var others = parts
        others[index] = part
        return others
      }
    }
  }
}

/// A condition without conditions inside.
struct Leaf {
  let holds: (World, PlainObject) -> Bool
  let query: (Query<Wide>) -> Query<Bool>
  let text: String
  let arguments: [Any?]

  init(
    _ text: String, _ arguments: [Any?], holds: @escaping (World, PlainObject) -> Bool,
    query: @escaping (Query<Wide>) -> Query<Bool>
  ) {
    self.text = text
    self.arguments = arguments
    self.holds = holds
    self.query = query
  }
}
