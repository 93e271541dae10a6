import AtollVocabulary
import Foundation
import Testing

/// Answers of Python's `decimal`; see `Vectors/decimal128.py`.
@Suite struct Decimal128VectorTests {
  private struct Vector {
    var operation: Substring
    var operands: [Substring]
    var result: String
  }

  private let vectors: [Vector]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Vectors/decimal128.txt")
    vectors = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { line in
        let words = line.split(separator: " ")
        return Vector(
          operation: words[0], operands: Array(words[1...].dropLast()),
          result: words.last.map(String.init) ?? "")
      }
  }

  /// Compares every vector of an operation of two decimals; says which ones differ.
  private func expect(
    _ operation: String, atLeast count: Int,
    _ body: (Decimal128, Decimal128) -> String
  ) throws {
    let vectors = vectors.filter { $0.operation == operation }
    #expect(vectors.count >= count)
    var differences: [String] = []
    for vector in vectors {
      let a = try #require(Decimal128(String(vector.operands[0])))
      let b = try #require(Decimal128(String(vector.operands[1])))
      let answer = body(a, b)
      if answer != vector.result {
        differences.append("\(a) \(operation) \(b) = \(vector.result), not \(answer)")
      }
    }
    #expect(differences.isEmpty, "\(differences.prefix(10))")
  }

  @Test func `there are ten thousand vectors`() { #expect(vectors.count >= 10_000) }

  @Test func `sums are those of another implementation`() throws {
    try expect("+", atLeast: 2000) { "\($0 + $1)" }
  }

  @Test func `differences are those of another implementation`() throws {
    try expect("-", atLeast: 1500) { "\($0 - $1)" }
  }

  @Test func `products are those of another implementation`() throws {
    try expect("*", atLeast: 2000) { "\($0 * $1)" }
  }

  @Test func `quotients are those of another implementation`() throws {
    try expect("/", atLeast: 2000) { "\($0 / $1)" }
  }

  @Test func `comparisons are those of another implementation`() throws {
    try expect("?", atLeast: 1000) { a, b in
      if a.isNaN || b.isNaN { return "NaN" }
      #expect((a < b) == (b > a) && (a <= b) == !(b < a) && (a == b) == (a >= b && a <= b))
      if a == b { #expect(a.hashValue == b.hashValue) }
      return a < b ? "-1" : a == b ? "0" : "1"
    }
  }

  @Test func `texts are read and printed as by another implementation`() {
    let vectors = vectors.filter { $0.operation == "=" }
    #expect(vectors.count >= 1000)
    for vector in vectors {
      let value = Decimal128(String(vector.operands[0]))
      #expect(value?.description == vector.result)
      #expect(value?.isCanonical == true)
    }
  }

  @Test func `a double becomes its shortest decimal`() throws {
    let vectors = vectors.filter { $0.operation == "d" }
    #expect(vectors.count >= 900)
    for vector in vectors {
      let double = Double(bitPattern: try #require(UInt64(vector.operands[0], radix: 16)))
      let value = Decimal128(double)
      #expect(value.description == vector.result)
      #expect(Double(value) == double)
    }
  }

  @Test func `ordered bytes have the order of the numbers and give each value back`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    let values = vectors.filter { $0.operation != "d" }.flatMap(\.operands)
      .compactMap { Decimal128(String($0)) }
    for value in values {
      let bytes = value.orderedBytes
      let back = try #require(Decimal128(orderedBytes: bytes))
      #expect(back.isIdentical(to: value), "\(value)")
      #expect(bytes.starts(with: value.orderedPrefix) && bytes.count <= 22)
    }
    for _ in 0..<50_000 {
      let a = values[Int.random(in: values.indices, using: &generator)]
      let b = values[Int.random(in: values.indices, using: &generator)]
      if !areConsistent(a, b) { Issue.record("\(a) and \(b), seed \(seed)") }
    }
  }

  /// Tells whether the bytes of one lie where those of the other say.
  private func areConsistent(_ a: Decimal128, _ b: Decimal128) -> Bool {
    if b < a { return areConsistent(b, a) }
    let (lower, upper) = (b.orderedPrefix, b.orderedPrefix + [0xFF])
    let isBelow = a.orderedBytes.lexicographicallyPrecedes(lower)
    if a < b { return isBelow && (a.orderedPrefix + [0xFF]).lexicographicallyPrecedes(lower) }
    return !isBelow && a.orderedPrefix == lower
      && a.orderedBytes.lexicographicallyPrecedes(upper)
  }
}
