public import Atoll
public import Foundation

// Types of the application, and how they are stored.

/// A place on the Earth, in degrees.
public struct Coordinate: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

/// The stored form of a coordinate: two numbers that are written together.
public final class StoredCoordinate: EmbeddedObject {
  @Persisted public var latitude: Double
  @Persisted public var longitude: Double
}

extension Coordinate: CustomPersistable {
  public typealias PersistedType = StoredCoordinate

  public init(persistedValue: StoredCoordinate) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }

  public var persistableValue: StoredCoordinate {
    StoredCoordinate(value: ["latitude": latitude, "longitude": longitude])
  }
}

extension URL: @retroactive FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}
