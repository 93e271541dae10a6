import Atoll
import Foundation

/// A mapped type that the tests of rules run over, whatever it is stored as.
protocol MappedSample: Sampled, SendableMetatype, _Mapping, _PersistableValue, _PropertyValue,
  _ListElement
{
  /// True if values are stored as embedded objects.
  static var isEmbedded: Bool { get }
  /// The initial value of a new object's property; nil where it differs from object to object.
  static var initial: Self? { get }
  /// Tells whether `persisted` is what is stored of a value, nil of null.
  static func isStored(_ persisted: PersistedType?, for value: Self?) -> Bool
  /// The forms, besides its own, in which a value can be given as `Any`.
  static func rawForms(of value: Self) -> [Any]
}

/// A failable mapped type.
protocol RejectingSample: MappedSample {
  /// A value that does not convert; not the default of its type.
  static var rejected: PersistedType { get }
}

extension MappedSample {
  /// A value to write, not the default where the type has two.
  static var sample: Self { samples[samples.count - 1] }
  /// Another one, where the type has two.
  static var other: Self { samples[0] }
}

extension RejectingSample {
  /// The value that does not convert, as messages quote it.
  static var rejectedText: String { "\(rejected._encode())" }
}

extension PersistedSample {
  /// The initial value of a new object's property of the type; nil for dates and ids, which are
  /// made anew.
  static var initial: Self? {
    self == Date.self || self == UUID.self || self == ObjectId.self ? nil : samples[0]
  }
}

// MARK: - Mapped to scalars

extension Box: MappedSample where Value: PersistedSample {
  static var isEmbedded: Bool { false }
  static var initial: Box? { Value.initial.map { Box($0) } }
  static func isStored(_ persisted: Value?, for value: Box?) -> Bool { persisted == value?.value }
  static func rawForms(of value: Box) -> [Any] { [value.value] }
}

extension FailableBox: RejectingSample {
  static var isEmbedded: Bool { false }
  static var initial: FailableBox? { Value.initial.flatMap { FailableBox(persistedValue: $0) } }
  static var rejected: Value { Value.rejected }
  static func isStored(_ persisted: Value?, for value: FailableBox?) -> Bool {
    persisted == value?.value
  }
  static func rawForms(of value: FailableBox) -> [Any] { [value.value] }
}

/// A type mapped to `Value` that takes one value only, and not the default.
struct Picky<Value: PersistedSample>: FailableCustomPersistable {
  var persistableValue: Value { Value.samples[Value.samples.count - 1] }

  init() {}

  init?(persistedValue: Value) {
    if persistedValue != persistableValue { return nil }
  }
}

extension Picky: RejectingSample {
  static var isEmbedded: Bool { false }
  static var initial: Picky? { nil }
  static var rejected: Value { Value.samples[0] }
  static var samples: [Picky] { [Picky()] }
  var raw: Any { persistableValue }
  static func isStored(_ persisted: Value?, for value: Picky?) -> Bool {
    persisted == value?.persistableValue
  }
  static func rawForms(of value: Picky) -> [Any] { [value.persistableValue] }
}

// MARK: - Mapped to an embedded class

extension MappedSample where PersistedType == Location {
  static var isEmbedded: Bool { true }

  static func isStored(_ persisted: Location?, for value: Self?) -> Bool {
    guard let persisted, let stored = value?.persistableValue else {
      return persisted == nil && value == nil
    }
    return persisted.latitude == stored.latitude && persisted.longitude == stored.longitude
  }

  static func rawForms(of value: Self) -> [Any] {
    let stored = value.persistableValue
    return [
      stored, ["latitude": stored.latitude, "longitude": stored.longitude],
      [stored.latitude, stored.longitude],
    ]
  }
}

extension Coordinate: MappedSample {
  static var initial: Coordinate? { Coordinate(latitude: 0, longitude: 0) }
}

extension Northern: RejectingSample {
  static var initial: Northern? { samples[0] }
  static var rejected: Location { Location(value: [-1, 0]) }
}

/// A type mapped to an embedded class that takes the equator only, and not the class's default.
struct Equatorial: FailableCustomPersistable {
  var longitude = 1.0

  init() {}

  init?(persistedValue: Location) {
    if persistedValue.latitude != 0 || persistedValue.longitude == 0 { return nil }
    longitude = persistedValue.longitude
  }

  var persistableValue: Location { Location(value: [0, longitude]) }
}

extension Equatorial: RejectingSample {
  static var initial: Equatorial? { nil }
  static var rejected: Location { Location(value: [1, 1]) }
  static var samples: [Equatorial] { [Equatorial()] }
  var raw: Any { persistableValue }
}
