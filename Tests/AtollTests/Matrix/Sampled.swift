import Atoll
import Foundation

/// A type with values to test with, one of which is the type's default or nothing.
protocol Sampled {
  /// At least one, all different.
  static var samples: [Self] { get }
  /// The persisted form, as `Any` can bring it; `NSNull` for nil.
  var raw: Any { get }
}

/// A persisted type that tests run over.
protocol PersistedSample: Sampled, _Scalar, Hashable, Sendable {
  /// The value that a ``FailableBox`` of the type rejects; not the type's default.
  static var rejected: Self { get }
}

/// A type mapped to `Value`, and every value of that but one.
struct FailableBox<Value: PersistedSample>: FailableCustomPersistable {
  var value: Value

  init?(persistedValue: Value) {
    if persistedValue == Value.rejected { return nil }
    value = persistedValue
  }

  var persistableValue: Value { value }
}

extension PersistedSample {
  var raw: Any { self }
}

extension Box: Sampled where Value: Sampled {
  static var samples: [Box] { Value.samples.map { Box($0) } }
  var raw: Any { value }
}

extension FailableBox: Sampled {
  static var samples: [FailableBox] { Value.samples.compactMap { FailableBox(persistedValue: $0) } }
  var raw: Any { value }
}

extension Optional: Sampled where Wrapped: Sampled {
  static var samples: [Wrapped?] { [nil] + Wrapped.samples.map { $0 } }
  var raw: Any { map(\.raw) ?? NSNull() }
}

extension Coordinate: Sampled {
  static var samples: [Coordinate] {
    [(0, 0), (1, 2), (-0.5, 180)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
  }

  var raw: Any { [latitude, longitude] }
}

/// A type mapped to an embedded class that does not take every instance of it.
struct Northern: FailableCustomPersistable {
  var latitude: Double

  init?(persistedValue: Location) {
    if persistedValue.latitude < 0 { return nil }
    latitude = persistedValue.latitude
  }

  var persistableValue: Location { Location(value: [latitude, 0]) }
}

extension Northern: Sampled {
  static var samples: [Northern] {
    [0, 1.5, 90].compactMap { Northern(persistedValue: Location(value: [$0, 0])) }
  }

  var raw: Any { ["latitude": latitude] }
}

// MARK: - The persisted types

extension Bool: PersistedSample {
  static var samples: [Bool] { [false, true] }
  static var rejected: Bool { true }
}

extension Int: PersistedSample {
  static var samples: [Int] { [0, 1, -1, .max, .min] }
  static var rejected: Int { 13 }
}

extension Int8: PersistedSample {
  static var samples: [Int8] { [0, 1, -1, .max, .min] }
  static var rejected: Int8 { 13 }
}

extension Int16: PersistedSample {
  static var samples: [Int16] { [0, 1, -1, .max, .min] }
  static var rejected: Int16 { 13 }
}

extension Int32: PersistedSample {
  static var samples: [Int32] { [0, 1, -1, .max, .min] }
  static var rejected: Int32 { 13 }
}

extension Int64: PersistedSample {
  static var samples: [Int64] { [0, 1, -1, .max, .min] }
  static var rejected: Int64 { 13 }
}

extension Float: PersistedSample {
  static var samples: [Float] { [0, 0.1, -1.5, .infinity, .leastNonzeroMagnitude] }
  static var rejected: Float { 13 }
}

extension Double: PersistedSample {
  static var samples: [Double] { [0, 0.1, -1.5, .infinity, .leastNonzeroMagnitude] }
  static var rejected: Double { 13 }
}

extension String: PersistedSample {
  static var samples: [String] { ["", "a", "Zürich", "nul \0 inside", "👩‍🚀"] }
  static var rejected: String { "rejected" }
}

extension Data: PersistedSample {
  static var samples: [Data] { [Data(), Data([0]), Data([1, 2, 255])] }
  static var rejected: Data { Data([13]) }
}

extension Date: PersistedSample {
  static var samples: [Date] {
    [0, 0.1, -1e9, 1e12].map { Date(timeIntervalSinceReferenceDate: $0) }
  }
  static var rejected: Date { Date(timeIntervalSinceReferenceDate: 13) }
}

extension Decimal128: PersistedSample {
  static var samples: [Decimal128] { [0, 0.1, -1.5, -.infinity, leastNonzeroMagnitude] }
  static var rejected: Decimal128 { 13 }
}

extension ObjectId: PersistedSample {
  static var samples: [ObjectId] {
    ["000000000000000000000000", "0123456789abcdef01234567", "ffffffffffffffffffffffff"]
      .compactMap { try? ObjectId(string: $0) }
  }
  static var rejected: ObjectId {
    (try? ObjectId(string: "00000000000000000000000d")) ?? .generate()
  }
}

extension UUID: PersistedSample {
  static var samples: [UUID] {
    [
      "00000000-0000-0000-0000-000000000000", "01234567-89AB-CDEF-0123-456789ABCDEF",
      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ].compactMap { UUID(uuidString: $0) }
  }
  static var rejected: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13))
  }
}
