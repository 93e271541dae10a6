import Atoll
import AtollVocabulary
import TestKit

/// The operation of a predicate on two numbers.
enum Arithmetic: String, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"

  /// Of two numbers of one type; of others, and of nil, there is none.
  func of(_ a: Plain, _ b: Plain) -> Plain {
    switch (a, b) {
    case (.int(let a), .int(let b)): whole(a, b).map { .int($0) } ?? .null
    case (.float(let a), .float(let b)): .float(fraction(a, b))
    case (.double(let a), .double(let b)): .double(fraction(a, b))
    case (.decimal(let a), .decimal(let b)):
      switch self {
      case .add: .decimal(a + b)
      case .subtract: .decimal(a - b)
      case .multiply: .decimal(a * b)
      case .divide: .decimal(a / b)
      }
    default: .null
    }
  }

  private func whole(_ a: Int, _ b: Int) -> Int? {
    switch self {
    case .add: a &+ b
    case .subtract: a &- b
    case .multiply: a &* b
    case .divide where b == 0: nil
    case .divide: b == -1 ? 0 &- a : a / b
    }
  }

  private func fraction<T: FloatingPoint>(_ a: T, _ b: T) -> T {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }

  func query<V: _PropertyValue>(_ a: Query<V>, _ b: V, isTurned: Bool) -> Query<V>
  where V.PersistedType: _Addable {
    switch self {
    case .add: isTurned ? b + a : a + b
    case .subtract: isTurned ? b - a : a - b
    case .multiply: isTurned ? b * a : a * b
    case .divide: isTurned ? b / a : a / b
    }
  }

  func query<V: _PropertyValue>(_ a: Query<V>, _ b: Query<V>) -> Query<V>
  where V.PersistedType: _Addable {
    switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }
}

extension Column where V.PersistedType: _Addable & _Ordered {
  /// A number made of the property and a constant, compared with another.
  func computed(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (operand, compared) = (drawn(&random), drawn(&random))
    let sign = Sign.allCases[random.below(6)]
    let kind = Arithmetic.allCases[random.below(4)]
    let isTurned = random.chance(1, of: 3)
    guard !operand.plain.isNull else { return order(way, &random) }
    let property = way.text + escaped(name)
    let sides = isTurned ? "%@ \(kind.rawValue) \(property)" : "\(property) \(kind.rawValue) %@"
    return Leaf(
      "\(way.isMany ? "ANY " : "")\(sides) \(sign.text) %@", [operand.value, compared.value],
      holds: some(way) { value in
        let number =
          isTurned ? kind.of(operand.plain, value) : kind.of(value, operand.plain)
        return sign.holds(number, compared.plain)
      },
      query: {
        sign.query(
          kind.query(way.query($0, path), operand.value, isTurned: isTurned), compared.value)
      })
  }

  /// Two numbers made of properties: `(there + here) * there`, say.
  func computedTwice(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (first, second) = (
      Arithmetic.allCases[random.below(4)], Arithmetic.allCases[random.below(4)]
    )
    let compared = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard !way.isMany else { return computed(way, &random) }
    let own = escaped(name)
    return Leaf(
      "(\(way.text)\(own) \(first.rawValue) \(own)) \(second.rawValue) \(way.text)\(own) "
        + "\(sign.text) %@", [compared.value],
      holds: { world, object in
        let there = world.ones(name, way, object)[0]
        let here = world.ones(name, .own, object)[0]
        return sign.holds(second.of(first.of(there, here), there), compared.plain)
      },
      query: {
        let (there, here) = (way.query($0, path), $0[dynamicMember: path])
        return sign.query(second.query(first.query(there, here), there), compared.value)
      })
  }
}
