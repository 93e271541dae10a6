import Atoll
import Foundation
import TestKit

/// A list, set or map of values: its name, its key path, and some values that its elements may be.
struct Elements<C: _PropertyValue & _QueryCollection> where C._Member: _ListElement {
  typealias V = C._Member

  let name: String
  let path: KeyPath<Wide, C>
  let pool: [(plain: Plain, value: V)]

  init(_ name: String, _ path: KeyPath<Wide, C>, _ pool: [(Plain, V)]) {
    self.name = name
    self.path = path
    self.pool = pool.map { (plain: $0.0, value: $0.1) }
  }

  fileprivate func drawn(_ random: inout SeededRandom) -> (plain: Plain, value: V) {
    pool[random.below(pool.count)]
  }

  /// For some element of the collections that the way leads to.
  fileprivate func some(
    _ way: Way, _ condition: @escaping (Plain) -> Bool
  ) -> (World, PlainObject) -> Bool {
    { world, object in world.elements(name, way, object).contains(where: condition) }
  }

  func equality(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let isMemberwise = if case .spot = plain { true } else { false }
    switch random.below(3) {
    case 0:
      return Leaf(
        "ANY \(way.text)\(escaped(name)) == %@", [value], holds: some(way) { $0.equals(plain) },
        query: { way.query($0, path) == value })
    case 1:
      return Leaf(
        "ANY \(way.text)\(escaped(name)) != %@", [value],
        holds: isMemberwise
          ? { world, object in
            let values = world.elements(name, way, object)
            return !values.isEmpty && !values.contains { $0.equals(plain) }
          } : some(way) { !$0.equals(plain) },
        query: { way.query($0, path) != value })
    default:
      return Leaf(
        "%@ IN \(way.text)\(escaped(name))", [value], holds: some(way) { $0.equals(plain) },
        query: { way.query($0, path).contains(value) })
    }
  }

  func membership(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let drawn = (0..<random.below(4)).map { _ in self.drawn(&random) }
    return Leaf(
      "ANY \(way.text)\(escaped(name)) IN %@", [drawn.map(\.value)],
      holds: some(way) { value in drawn.contains { $0.plain.equals(value) } },
      query: { way.query($0, path).containsAny(in: drawn.map(\.value)) })
  }

  func none(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let isAll = random.chance(1, of: 2)
    // The condition on no element, or on every one.
    return Leaf(
      "\(isAll ? "ALL" : "NONE") \(way.text)\(escaped(name)) == %@", [value],
      holds: { world, object in
        world.elements(name, way, object).allSatisfy { $0.equals(plain) == isAll }
      },
      query: {
        let values = way.query($0, path)
        return isAll ? !(values != value) : !(values == value)
      })
  }

  func count(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let sign = Sign.allCases[random.below(6)]
    let number = random.below(4)
    guard !way.isMany else { return equality(way, &random) }
    return Leaf(
      "\(way.text)\(escaped(name)).@count \(sign.text) \(number)", [],
      holds: { world, object in
        sign.holds(.int(world.elements(name, way, object).count), .int(number))
      },
      query: { sign.query(way.query($0, path).count, number) })
  }

  var makers: [LeafMaker] { [equality, membership, count] + (isMemberwise ? [] : [none]) }

  private var isMemberwise: Bool { if case .spot = pool.last?.plain { true } else { false } }
}

extension Elements where V: _PropertyValue, V.PersistedType: _Ordered {
  func order(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    return Leaf(
      "ANY \(way.text)\(escaped(name)) \(sign.text) %@", [value],
      holds: some(way) { sign.holds($0, plain) },
      query: {
        let values = way.query($0, path)
        return switch sign {
        case .equal: values == value
        case .notEqual: values != value
        case .less: values < value
        case .lessOrEqual: values <= value
        case .greater: values > value
        case .greaterOrEqual: values >= value
        }
      })
  }

  var ordered: [LeafMaker] { makers + [order] }
}

extension Elements where V: _PropertyValue, V.PersistedType: _TextSearchable {
  func search(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let search = Search.allCases[random.below(5)]
    let options = search.options(&random)
    return Leaf(
      "ANY \(way.text)\(escaped(name)) \(search.text)\(options.text) %@", [value],
      holds: some(way) { search.holds($0, plain, options) },
      query: {
        let text = way.query($0, path)
        return switch search {
        case .contains: text.contains(value, options: options)
        case .starts: text.starts(with: value, options: options)
        case .ends: text.ends(with: value, options: options)
        case .like: text.like(value, caseInsensitive: options.contains(.caseInsensitive))
        case .equals: text.equals(value, options: options)
        }
      })
  }
}

extension Elements where V: Comparable {
  /// All elements inside, and at least one.
  func range(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (first, second) = (drawn(&random), drawn(&random))
    guard !way.isMany, !first.plain.isNaN, !second.plain.isNaN else {
      return equality(way, &random)
    }
    let (low, high) = second.value < first.value ? (second, first) : (first, second)
    let isClosed = random.chance(1, of: 2)
    let upper: Sign = isClosed ? .lessOrEqual : .less
    let text = "\(way.text)\(escaped(name))"
    return Leaf(
      "(\(text).@min >= %@ AND \(text).@max \(upper.text) %@)", [low.value, high.value],
      holds: { world, object in
        let values = world.elements(name, way, object)
        return Sign.greaterOrEqual.holds(Aggregate.minimum.of(values), low.plain)
          && upper.holds(Aggregate.maximum.of(values), high.plain)
      },
      query: {
        isClosed
          ? way.query($0, path).contains(low.value...high.value)
          : way.query($0, path).contains(low.value..<high.value)
      })
  }
}

// MARK: - Aggregates

extension Elements
where V: _PersistableValue & _PropertyValue, V.PersistedType: _MinMaxable & _Addable & _Ordered {
  func aggregate(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let kind = Aggregate.allCases[random.below(3)]
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard !way.isMany else { return equality(way, &random) }
    return Leaf(
      "\(way.text)\(escaped(name)).\(kind.text) \(sign.text) %@", [value],
      holds: { world, object in
        sign.holds(kind.of(world.elements(name, way, object)), plain)
      },
      query: {
        let values = way.query($0, path)
        return switch kind {
        case .minimum: sign.query(values.min, value)
        case .maximum: sign.query(values.max, value)
        case .sum, .average: sign.query(values.sum, value)
        }
      })
  }
}

extension Elements where V: _PropertyValue, V.PersistedType: _Addable {
  func average<W: _PropertyValue & _OptionalProperty>(
    _ number: @escaping (Query<C>) -> Query<W>, _ pool: [(Plain, W)]
  ) -> LeafMaker where W.PersistedType: _Ordered {
    { way, random in
      let (plain, value) = pool[random.below(pool.count)]
      let sign = Sign.allCases[random.below(6)]
      guard !way.isMany else { return equality(way, &random) }
      return Leaf(
        "\(way.text)\(escaped(name)).@avg \(sign.text) %@", [value],
        holds: { world, object in
          sign.holds(Aggregate.average.of(world.elements(name, way, object)), plain)
        }, query: { sign.query(number(way.query($0, path)), value) })
    }
  }
}

extension Column where V: _PersistableValue, V.PersistedType: _MinMaxable & _Addable & _Ordered {
  /// An aggregate of the property of a collection's objects.
  func aggregate(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let kind = Aggregate.allCases[random.below(3)]
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard way.isOneCollection else { return order(way, &random) }
    return Leaf(
      "\(way.text)\(kind.text).\(name) \(sign.text) %@", [value],
      holds: { world, object in sign.holds(kind.of(world.ones(name, way, object)), plain) },
      query: {
        let values = way.query($0, path)
        return switch kind {
        case .minimum: sign.query(values.min, value)
        case .maximum: sign.query(values.max, value)
        case .sum, .average: sign.query(values.sum, value)
        }
      })
  }
}

extension Column where V: _OptionalProperty, V.PersistedType: _MinMaxable & _Addable & _Ordered {
  func aggregateOrNil(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let kind = Aggregate.allCases[random.below(3)]
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard way.isOneCollection, !(kind == .sum && plain.isNull) else { return order(way, &random) }
    return Leaf(
      "\(way.text)\(kind.text).\(name) \(sign.text) %@", [value],
      holds: { world, object in sign.holds(kind.of(world.ones(name, way, object)), plain) },
      query: {
        let values = way.query($0, path)
        return switch kind {
        case .minimum: sign.query(values.min, value)
        case .maximum: sign.query(values.max, value)
        case .sum, .average: sign.query(values.sum, value)
        }
      })
  }
}

extension Column where V: _PersistableValue, V.PersistedType: _MinMaxable & _Ordered {
  /// The least and the greatest of the property of a collection's objects.
  func extreme(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let isLeast = random.chance(1, of: 2)
    let kind: Aggregate = isLeast ? .minimum : .maximum
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard way.isOneCollection else { return order(way, &random) }
    return Leaf(
      "\(way.text)\(kind.text).\(name) \(sign.text) %@", [value],
      holds: { world, object in sign.holds(kind.of(world.ones(name, way, object)), plain) },
      query: { sign.query(isLeast ? way.query($0, path).min : way.query($0, path).max, value) })
  }
}

extension Column where V: _OptionalProperty, V.PersistedType: _MinMaxable & _Ordered {
  /// The same where some are nil, and where what is compared with may be.
  func extremeOrNil(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let isLeast = random.chance(1, of: 2)
    let kind: Aggregate = isLeast ? .minimum : .maximum
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard way.isOneCollection else { return order(way, &random) }
    return Leaf(
      "\(way.text)\(kind.text).\(name) \(sign.text) %@", [value],
      holds: { world, object in sign.holds(kind.of(world.ones(name, way, object)), plain) },
      query: { sign.query(isLeast ? way.query($0, path).min : way.query($0, path).max, value) })
  }
}

extension Elements where V: _OptionalProperty, V.PersistedType: _MinMaxable & _Ordered {
  /// The least and the greatest of elements of which some are nil.
  func extremeOrNil(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let isLeast = random.chance(1, of: 2)
    let kind: Aggregate = isLeast ? .minimum : .maximum
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    guard !way.isMany else { return equality(way, &random) }
    return Leaf(
      "\(way.text)\(escaped(name)).\(kind.text) \(sign.text) %@", [value],
      holds: { world, object in sign.holds(kind.of(world.elements(name, way, object)), plain) },
      query: { sign.query(isLeast ? way.query($0, path).min : way.query($0, path).max, value) })
  }
}

extension Elements where V == AnyValue {
  /// Aggregates of any-typed values: by the order of kinds, and of the numbers as decimals.
  func aggregate(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let kind = Aggregate.allCases[random.below(4)]
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    let (number, decimal) = Values.decimals[random.below(6)]
    guard !way.isMany else { return equality(way, &random) }
    let isExtreme = kind == .minimum || kind == .maximum
    return Leaf(
      "\(way.text)\(name).\(kind.text) \(sign.text) %@", [isExtreme ? value : decimal],
      holds: { world, object in
        let values = world.elements(name, way, object)
        return sign.holds(kind.ofAny(values), isExtreme ? plain : number)
      },
      query: {
        let values = way.query($0, path)
        return switch kind {
        case .minimum: sign.query(values.min, value)
        case .maximum: sign.query(values.max, value)
        case .sum: sign.query(values.sum, decimal)
        case .average: sign.query(values.avg, decimal)
        }
      })
  }
}
