import Atoll
import Foundation
import TestKit

/// Conditions on links, and on what is inside other values.
enum ObjectLeaves {
  /// Makes the condition on the number of elements that satisfy two conditions on one property
  /// each.
  static func subquery(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (low, flag, number) = (random.below(4) - 2, random.chance(1, of: 2), random.below(3))
    let (inner, outer) = (Sign.allCases[random.below(6)], Sign.allCases[random.below(6)])
    let isNextMany = random.chance(1, of: 2)
    let way: Way = isNextMany ? .nextMany : .many
    return Leaf(
      "SUBQUERY(\(way.text.dropLast()), $x, $x.int \(inner.text) \(low) AND NOT $x.flag == "
        + "\(flag ? "YES" : "NO")).@count \(outer.text) \(number)", [],
      holds: { world, object in
        let found = world.objects(at: way, from: object).filter { element in
          inner.holds(element?.ones["int"] ?? .null, .int(low))
            && !Sign.equal.holds(element?.ones["flag"] ?? .null, .bool(flag))
        }
        return outer.holds(.int(found.count), .int(number))
      },
      query: {
        let elements = isNextMany ? $0.next.many : $0.many
        return outer.query(
          (inner.query(elements.int, low) && !(elements.flag == flag)).count, number)
      })
  }

  static func count(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let (sign, number) = (Sign.allCases[random.below(6)], random.below(4))
    switch random.below(3) {
    case 0:
      return Leaf(
        "next.many.@count \(sign.text) \(number)", [],
        holds: { sign.holds(.int($0.objects(at: .nextMany, from: $1).count), .int(number)) },
        query: { sign.query($0.next.many.count, number) })
    case 1:
      return Leaf(
        "back.@count \(sign.text) \(number)", [],
        holds: { sign.holds(.int($0.objects(at: .back, from: $1).count), .int(number)) },
        query: { sign.query($0.back.count, number) })
    default:
      return Leaf(
        "entries.@count \(sign.text) \(number)", [],
        holds: { sign.holds(.int($1.entries.count), .int(number)) },
        query: { sign.query($0.entries.count, number) })
    }
  }

  /// Tells whether a link or an entry is there.
  static func link(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let isNil = random.chance(1, of: 2)
    return Leaf(
      "next.next \(isNil ? "==" : "!=") nil", [],
      holds: { world, object in (world.objects(at: .nextNext, from: object)[0] == nil) == isNil },
      query: { isNil ? $0.next.next == nil : $0.next.next != nil })
  }

  /// An object by its key, through classes with keys of other types.
  static func byKey(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let number = random.below(World.hubCount + 1)
    let (code, token) = (PlainHub.code(number), PlainHub.token(number))
    let isEqual = random.chance(1, of: 2)
    let sign = isEqual ? Sign.equal : .notEqual
    switch random.below(4) {
    case 0:
      let literal = code.map { "'\($0)'" } ?? "nil"
      return Leaf(
        "hub \(sign.text) obj('Hub', \(literal))", [],
        holds: { ($1.hub == number) == isEqual },
        query: {
          let found = $0.hub != nil && $0.hub.code == code
          return isEqual ? found : !found
        })
    case 1:
      return Leaf(
        "ANY hubs.code == %@", [code], holds: { $1.hubs.contains(number) },
        query: { $0.hubs.code == code })
    case 2:
      return Leaf(
        "hub.port.token \(sign.text) %@", [token],
        holds: { world, object in
          let port = object.hub.flatMap { world.hubs[$0].hasPort ? $0 : nil }
          return (port == number) == isEqual
        },
        query: { isEqual ? $0.hub.port.token == token : $0.hub.port.token != token })
    default:
      return Leaf(
        "ANY hubs IN {obj('Hub', 'h1'), obj(Hub, 'h2')}", [],
        holds: { $1.hubs.contains { $0 == 1 || $0 == 2 } },
        query: { $0.hubs.code.in(["h1", "h2"]) })
    }
  }

  /// Elements of one collection beside an aggregate of another, and computed with it.
  static func outer(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let sign = Sign.allCases[random.below(6)]
    if random.chance(1, of: 2) {
      return Leaf(
        "ANY many.intOrNil \(sign.text) ints.@max", [],
        holds: { world, object in
          let most = Aggregate.maximum.of(world.elements("ints", .own, object))
          return world.ones("intOrNil", .many, object).contains { sign.holds($0, most) }
        }, query: { sign.query($0.many.intOrNil, $0.ints.max) })
    }
    return Leaf(
      "ANY many.int + many.@count * int \(sign.text) 1", [],
      holds: { world, object in
        let count = Plain.int(object.many.count)
        let own = Arithmetic.multiply.of(count, object.ones["int"] ?? .null)
        return world.ones("int", .many, object).contains {
          sign.holds(Arithmetic.add.of($0, own), .int(1))
        }
      }, query: { sign.query($0.many.int + $0.many.count * $0.int, 1) })
  }

  static func keys(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let key = ["a", "b", "é", "A"][random.below(4)]
    switch random.below(3) {
    case 0:
      return Leaf(
        "ANY intMap.@allKeys ==[c] %@", [key],
        holds: {
          $1.maps["intMap"]?.keys.contains { $0.lowercased() == key.lowercased() } ?? false
        },
        query: { $0.intMap.keys.equals(key, options: .caseInsensitive) })
    case 1:
      return Leaf(
        "stringMap[%@] == nil", [key],
        holds: { $1.maps["stringMap"]?[key] == nil },
        query: { !($0.stringMap[key] >= "") })
    default:
      return Leaf(
        "intMap[%@] > 0", [key],
        holds: { Sign.greater.holds($1.maps["intMap"]?[key] ?? .null, .int(0)) },
        query: { $0.intMap[key] > 0 })
    }
  }

  /// Makes a condition that only text can express, with another one that means the same.
  static func textOnly(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let numbers = (0..<random.below(3)).map { _ in random.below(3) - 1 }
    let index = random.below(3)
    switch random.below(3) {
    case 0:
      return Leaf(
        "ints == {\(numbers.map { "\($0)" }.joined(separator: ", "))}", [],
        holds: { $1.collections["ints"]?.map(\.asInt) == numbers },
        query: { wide in
          numbers.enumerated().reduce(wide.ints.count == numbers.count) { condition, number in
            condition && wide.ints[number.offset] == number.element
          }
        })
    case 1:
      return Leaf(
        "ints[\(index)] > 0", [],
        holds: { ($1.collections["ints"]?.dropFirst(index).first?.asInt ?? 0) > 0 },
        query: { $0.ints[index] > 0 })
    default:
      return Leaf(
        "ANY many.int == {0, 1}", [],
        holds: { world, object in
          world.ones("int", .many, object).contains { [0, 1].contains($0.asInt) }
        }, query: { $0.many.int.in([0, 1]) })
    }
  }

  /// Into lists and dictionaries in an any-typed value.
  static func anyPath(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let number = random.below(4) - 1
    let sign = Sign.allCases[random.below(6)]
    switch random.below(3) {
    case 0:
      let index = random.below(3)
      return Leaf(
        "#any[\(index)] \(sign.text) \(number)", [],
        holds: {
          sign.holds($1.ones["any"]?.element(index) ?? .null, .int(number))
        }, query: { sign.query($0.any[index], .int(number)) })
    case 1:
      return Leaf(
        "#any['a'] \(sign.text) %@", [number],
        holds: { sign.holds($1.ones["any"]?.entry("a") ?? .null, .int(number)) },
        query: { sign.query($0.any["a"], .int(number)) })
    default:
      return Leaf(
        "ANY #any[*] \(sign.text) \(number)", [],
        holds: { $1.ones["any"]?.inside.contains { sign.holds($0, .int(number)) } ?? false },
        query: { sign.query($0.any.any, .int(number)) })
    }
  }
}

extension Plain {
  var asInt: Int? { if case .int(let value) = self { value } else { nil } }

  func element(_ index: Int) -> Plain {
    if case .list(let elements) = self, elements.indices.contains(index) {
      elements[index]
    } else {
      .null
    }
  }

  func entry(_ key: String) -> Plain {
    if case .map(let entries) = self { entries[key] ?? .null } else { .null }
  }

  var inside: [Plain] {
    switch self {
    case .list(let elements): elements
    case .map(let entries): Array(entries.values)
    default: []
    }
  }
}
