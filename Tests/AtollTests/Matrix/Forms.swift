import Atoll
import Foundation
import Testing

/// One persisted type, as an argument of a test.
struct PersistedSampleType: Sendable, CustomTestStringConvertible {
  let type: any PersistedSample.Type
  var testDescription: String { "\(type)" }

  /// Every persisted scalar type.
  static let all: [PersistedSampleType] = [
    Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Float.self, Double.self,
    String.self, Data.self, Date.self, Decimal128.self, ObjectId.self, UUID.self,
  ].map { PersistedSampleType(type: $0) }
}

/// A sample that a collection of some persisted type can hold.
typealias ElementSample = Sampled & _ListElement & Hashable

/// A test of one element type; `run` says once what holds for all of them.
protocol ElementBody {
  func run<Element: ElementSample>(_: Element.Type) throws
}

/// A test of one persisted type.
protocol PersistedBody {
  func run<Persisted: PersistedSample>(_: Persisted.Type) throws
}

extension PersistedSampleType {
  /// Runs a body for the type, for types mapped to it, failable and not, and for optionals of each.
  func run(_ body: some ElementBody) throws { try type.run(body) }

  /// Runs a body for the type.
  func run(_ body: some PersistedBody) throws { try type.run(body) }
}

extension PersistedSample {
  fileprivate static func run(_ body: some PersistedBody) throws { try body.run(Self.self) }

  fileprivate static func run(_ body: some ElementBody) throws {
    try body.run(Self.self)
    try body.run(Self?.self)
    try body.run(Box<Self>.self)
    try body.run(Box<Self>?.self)
    try body.run(FailableBox<Self>.self)
    try body.run(FailableBox<Self>?.self)
  }
}

/// The types mapped to an embedded class, as an argument of a test.
struct EmbeddedForms {
  /// Runs a body for a type mapped to an embedded class, and for a failable one.
  static func run(_ body: some ElementBody) throws {
    try body.run(Coordinate.self)
    try body.run(Northern.self)
  }
}
