import Atoll
import Foundation
import TestKit

/// Makes conditions on one property of the object at the end of a way.
typealias LeafMaker = (_ way: Way, _ random: inout SeededRandom) -> Leaf

/// A property of one value: its name, its key path, and some values that it may have.
struct Column<V: _PropertyValue> {
  let name: String
  let path: KeyPath<Wide, V>
  let pool: [(plain: Plain, value: V)]

  init(_ name: String, _ path: KeyPath<Wide, V>, _ pool: [(Plain, V)]) {
    self.name = name
    self.path = path
    self.pool = pool.map { (plain: $0.0, value: $0.1) }
  }

  func drawn(_ random: inout SeededRandom) -> (plain: Plain, value: V) {
    pool[random.below(pool.count)]
  }

  /// Returns the text of the property, with the part that a comparison through many needs before
  /// it.
  func side(_ way: Way) -> String {
    "\(way.isMany ? "ANY " : "")\(way.text)\(escaped(name))"
  }

  /// For some object that the way leads to.
  func some(
    _ way: Way, _ condition: @escaping (Plain) -> Bool
  ) -> (World, PlainObject) -> Bool {
    { world, object in world.ones(name, way, object).contains(where: condition) }
  }

  /// True if BETWEEN is for it: numbers and dates.
  fileprivate var isMeasured: Bool {
    switch pool.first?.plain {
    case .int, .float, .double, .decimal, .date: true
    default: false
    }
  }

  // MARK: Equality

  func equality(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let isEqual = random.chance(1, of: 2)
    let sign = isEqual ? Sign.equal : .notEqual
    let literal = plain.literal.flatMap { random.chance(1, of: 2) ? $0 : nil }
    let isMemberwise = if case .spot = pool.last?.plain { true } else { false }
    return Leaf(
      "\(side(way)) \(sign.text) \(literal ?? "%@")", literal == nil ? [value] : [],
      holds: isMemberwise && !plain.isNull && !isEqual && way.isMany
        ? { world, object in
          let values = world.ones(name, way, object)
          return !values.isEmpty && !values.contains { $0.equals(plain) }
        } : some(way) { sign.holds($0, plain) },
      query: {
        isEqual ? way.query($0, path) == value : way.query($0, path) != value
      })
  }

  func membership(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let drawn = (0..<random.below(4)).map { _ in self.drawn(&random) }
    let literals = drawn.compactMap(\.plain.literal)
    let isLiteral = literals.count == drawn.count && random.chance(1, of: 2)
    return Leaf(
      "\(side(way)) IN \(isLiteral ? "{\(literals.joined(separator: ", "))}" : "%@")",
      isLiteral ? [] : [drawn.map(\.value)],
      holds: some(way) { value in drawn.contains { $0.plain.equals(value) } },
      query: { way.query($0, path).in(drawn.map(\.value)) })
  }

  var makers: [LeafMaker] { [equality, membership] }

  /// The comparison of two properties of one type.
  func pair(with other: Column, _ way: Way, _ random: inout SeededRandom) -> Leaf {
    let isEqual = random.chance(1, of: 2)
    let sign = isEqual ? Sign.equal : .notEqual
    return Leaf(
      "\(side(way)) \(sign.text) \(escaped(other.name))", [],
      holds: { world, object in
        let value = world.ones(other.name, .own, object)[0]
        return world.ones(name, way, object).contains { sign.holds($0, value) }
      },
      query: {
        let (a, b) = (way.query($0, path), $0[dynamicMember: other.path])
        return isEqual ? a == b : a != b
      })
  }
}

// MARK: - Order

extension Column where V.PersistedType: _Ordered {
  func order(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let sign = Sign.allCases[random.below(6)]
    let isMirrored = random.chance(1, of: 4)
    let text =
      isMirrored
      ? "\(way.isMany ? "ANY " : "")%@ \(sign.mirrored.text) \(way.text)\(escaped(name))"
      : "\(side(way)) \(sign.text) %@"
    return Leaf(
      text, [value], holds: some(way) { sign.holds($0, plain) },
      query: { sign.query(way.query($0, path), value) })
  }

  func ordered(with others: [Column] = []) -> [LeafMaker] {
    makers + [order, order]
      + others.flatMap { other in
        [
          { way, random in pair(with: other, way, &random) },
          { way, random in orderedPair(with: other, way, &random) },
        ]
      }
  }

  private func orderedPair(
    with other: Column, _ way: Way, _ random: inout SeededRandom
  ) -> Leaf {
    let sign = Sign.allCases[random.below(6)]
    return Leaf(
      "\(side(way)) \(sign.text) \(escaped(other.name))", [],
      holds: { world, object in
        let value = world.ones(other.name, .own, object)[0]
        return world.ones(name, way, object).contains { sign.holds($0, value) }
      },
      query: { sign.query(way.query($0, path), $0[dynamicMember: other.path]) })
  }
}

extension Sign {
  var mirrored: Sign {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  func query<V: _PropertyValue>(_ a: Query<V>, _ b: V) -> Query<Bool>
  where V.PersistedType: _Ordered {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }

  func query<V: _PropertyValue>(_ a: Query<V>, _ b: Query<V>) -> Query<Bool>
  where V.PersistedType: _Ordered {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

// MARK: - Ranges

extension Column where V: Comparable {
  func range(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (first, second) = (drawn(&random), drawn(&random))
    guard !first.plain.isNaN, !second.plain.isNaN else { return equality(way, &random) }
    let (low, high) = second.value < first.value ? (second, first) : (first, second)
    guard isMeasured || !way.isMany else { return equality(way, &random) }
    if isMeasured, way.isMany || random.chance(1, of: 2) {
      return Leaf(
        "\(side(way)) BETWEEN %@", [[low.value, high.value]],
        holds: some(way) {
          Sign.greaterOrEqual.holds($0, low.plain) && Sign.lessOrEqual.holds($0, high.plain)
        },
        query: { way.query($0, path).contains(low.value...high.value) })
    }
    return Leaf(
      "(\(side(way)) >= %@ AND \(side(way)) < %@)", [low.value, high.value],
      holds: some(way) {
        Sign.greaterOrEqual.holds($0, low.plain) && Sign.less.holds($0, high.plain)
      },
      query: { way.query($0, path).contains(low.value..<high.value) })
  }
}

extension Column {
  /// Half-open and closed ranges of a property that may be nil.
  func rangeOrNil<W: _PersistableValue & Comparable>(
    _ way: Way, _ random: inout SeededRandom
  ) -> Leaf where V == W? {
    let there = pool.filter { !$0.plain.isNull && !$0.plain.isNaN }
    let (first, second) = (there[random.below(there.count)], there[random.below(there.count)])
    guard let a = first.value, let b = second.value else { return equality(way, &random) }
    let (low, high) = b < a ? (second.plain, first.plain) : (first.plain, second.plain)
    let range = min(a, b)...max(a, b)
    guard isMeasured else { return equality(way, &random) }
    return Leaf(
      "\(side(way)) BETWEEN {%@, %@}", [range.lowerBound, range.upperBound],
      holds: some(way) { Sign.greaterOrEqual.holds($0, low) && Sign.lessOrEqual.holds($0, high) },
      query: { way.query($0, path).contains(range) })
  }
}

// MARK: - Text

extension Column where V.PersistedType: _TextSearchable {
  func search(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let search = Search.allCases[random.below(5)]
    let options = search.options(&random)
    return Leaf(
      "\(side(way)) \(search.text)\(options.text) %@", [value],
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

  /// One property's text in another's.
  func searched(for other: Column, _ way: Way, _ random: inout SeededRandom) -> Leaf {
    let search = [Search.contains, .starts, .ends, .equals][random.below(4)]
    let options = search.options(&random)
    return Leaf(
      "\(side(way)) \(search.text)\(options.text) \(escaped(other.name))", [],
      holds: { world, object in
        let needle = world.ones(other.name, .own, object)[0]
        return world.ones(name, way, object).contains { search.holds($0, needle, options) }
      },
      query: {
        let (text, needle) = (way.query($0, path), $0[dynamicMember: other.path])
        return switch search {
        case .contains: text.contains(needle, options: options)
        case .starts: text.starts(with: needle, options: options)
        case .ends: text.ends(with: needle, options: options)
        case .like, .equals: text.equals(needle, options: options)
        }
      })
  }
}

extension Column where V.PersistedType: _ByteSearchable {
  func searchBytes(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (plain, value) = drawn(&random)
    let search = [Search.contains, .starts, .ends][random.below(3)]
    return Leaf(
      "\(side(way)) \(search.text) %@", [value],
      holds: some(way) { search.holds($0, plain, []) },
      query: {
        let data = way.query($0, path)
        return switch search {
        case .contains, .like, .equals: data.contains(value)
        case .starts: data.starts(with: value)
        case .ends: data.ends(with: value)
        }
      })
  }
}

extension Column where V == AnyValue {
  func searchAny(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let needle = Values.texts[random.below(Values.texts.count)]
    let search = Search.allCases[random.below(5)]
    let options = search.options(&random)
    return Leaf(
      "\(side(way)) \(search.text)\(options.text) %@", [needle],
      holds: some(way) { search.holds($0, .string(needle), options) },
      query: {
        let text = way.query($0, path)
        return switch search {
        case .contains: text.contains(needle, options: options)
        case .starts: text.starts(with: needle, options: options)
        case .ends: text.ends(with: needle, options: options)
        case .like: text.like(needle, caseInsensitive: options.contains(.caseInsensitive))
        case .equals: text.equals(needle, options: options)
        }
      })
  }
}

extension Search {
  /// LIKE knows no diacritics.
  func options(_ random: inout SeededRandom) -> StringOptions {
    let options: [StringOptions] = [
      [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]
    return options[random.below(self == .like ? 2 : 4)]
  }
}

extension StringOptions {
  var text: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

extension Plain {
  /// The literal of the value in a predicate's text, where it has one.
  var literal: String? {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "YES" : "false"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value):
      "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    case .uuid(let value): "uuid(\(value.uuidString))"
    case .objectId(let value): "oid(\(value))"
    case .float, .data, .date, .spot, .list, .map: nil
    }
  }
}
