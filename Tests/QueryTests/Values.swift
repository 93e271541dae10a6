import Atoll
import Foundation

/// The values that properties of each type are drawn from: few, so that conditions often meet one, and
/// those at the edges.
enum Values {
  static let texts = [
    "", "a", "A", "ab", "ba", "É", "é", "e\u{301}", "ß", "SS", "a*b", "a\\b", "z\0z", "z", "🦅",
    "%@", "?b", "a*",
  ]

  static var bools: [(Plain, Bool)] { [(.bool(false), false), (.bool(true), true)] }
  static var ints: [(Plain, Int)] {
    [-2, -1, 0, 1, 2, 3, .max, .min].map { (Plain.int($0), $0) }
  }
  static var smallInts: [(Plain, Int)] {
    [-1, 0, 1, 2, 3].map { (Plain.int($0), $0) }
  }
  static var bytes: [(Plain, Int8)] {
    [Int8(-2), 0, 1, 3].map { (Plain.int(Int($0)), $0) }
  }
  static var floats: [(Plain, Float)] {
    [Float(-1), -0.0, 0, 0.1, 1, 1.5, 16_777_216, .infinity, .nan]
      .map { (Plain.float($0), $0) }
  }
  static var doubles: [(Plain, Double)] {
    [-1, -0.0, 0, 0.1, 1, 1.5, 1e300, .infinity, -.infinity, .nan]
      .map { (Plain.double($0), $0) }
  }
  static var decimals: [(Plain, Decimal128)] {
    ["-1", "0", "1", "1.00", "0.1", "1.5", "10", "1E+300", "Infinity", "NaN"]
      .map { Decimal128($0) ?? .zero }.map { (Plain.decimal($0), $0) }
  }
  static var strings: [(Plain, String)] {
    texts.map { (Plain.string($0), $0) }
  }
  static var datas: [(Plain, Data)] {
    [[], [0], [0, 1], [255], [1, 0], [97]].map {
      (Plain.data($0), Data($0))
    }
  }
  static var dates: [(Plain, Date)] {
    [0, -1, 0.5, 1e9, -62_135_769_600].map {
      (Plain.date($0), Date(timeIntervalSinceReferenceDate: $0))
    }
  }
  static var uuids: [(Plain, UUID)] {
    ["0", "7", "8", "F"].compactMap {
      UUID(uuidString: "\($0)0000000-0000-4000-8000-000000000000")
    }.map { (Plain.uuid($0), $0) }
  }
  static var objectIds: [(Plain, ObjectId)] {
    ["0", "7", "8", "f"].compactMap {
      ObjectId("\($0)00000000000000000000000")
    }.map { (Plain.objectId($0), $0) }
  }
  static var moods: [(Plain, Mood)] {
    Mood.allCases.map { (Plain.int($0.rawValue), $0) }
  }
  static var tags: [(Plain, Tag)] {
    texts.map { (Plain.string($0), Tag($0)) }
  }
  static var spots: [(Plain, Spot)] {
    [
      Spot(row: 0, note: nil), Spot(row: 0, note: "a"), Spot(row: 1, note: nil),
      Spot(row: 1, note: "a"),
    ].map { (Plain.spot($0), $0) }
  }

  static var anys: [(Plain, AnyValue)] {

    [(.null, .none), (.bool(true), .bool(true)), (.bool(false), .bool(false))]
      + [-1, 0, 1, 2].map { (.int($0), .int($0)) }
      + [Float(0.1), 1, .nan].map { (.float($0), .float($0)) }
      + [-0.0, 0.1, 1, 1.5, .nan, .infinity].map { (.double($0), .double($0)) }
      + decimals.map { ($0.0, .decimal128($0.1)) }
      + ["", "a", "É", "1"].map { (.string($0), .string($0)) }
      + datas.prefix(3).map { ($0.0, .data($0.1)) } + dates.prefix(3).map { ($0.0, .date($0.1)) }
      + uuids.prefix(2).map { ($0.0, .uuid($0.1)) }
      + objectIds.prefix(2).map { ($0.0, .objectId($0.1)) }
  }

  /// The nested values of any-typed slots; they are compared with nothing as a whole.
  static var nested: [Plain] {
    [
      .list([]), .list([.int(1), .string("a"), .null]), .list([.double(0), .int(3), .int(-1)]),
      .map(["a": .int(1)]), .map(["a": .decimal("1.0"), "b": .null]),
    ]
  }

  static func orNil<T>(_ pool: [(Plain, T)]) -> [(Plain, T?)] {
    pool.map { ($0.0, .some($0.1)) } + [(.null, nil)]
  }
}
