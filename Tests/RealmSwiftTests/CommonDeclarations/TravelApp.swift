// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

/// Values of the domain; what is stored is made of them and into them.
struct Trip: Codable, Hashable, Identifiable {
  struct Stop: Codable, Hashable {
    var city: String
    var nights: Int
  }

  let id: UUID
  var name: String
  var stops: [Stop]
  var budget: [String: Decimal]
}

final class TripObject: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var name: String
  @Persisted var stops: List<StopObject>
  @Persisted var budget: Map<String, Decimal128>

  convenience init(_ trip: Trip) {
    self.init()
    id = trip.id
    name = trip.name
    stops.append(objectsIn: trip.stops.map(StopObject.init))
    trip.budget.forEach { budget[$0.key] = Decimal128(value: NSDecimalNumber(decimal: $0.value)) }
  }

  func toDomain() -> Trip {
    Trip(
      id: id, name: name, stops: stops.map { $0.toDomain() },
      budget: Dictionary(
        uniqueKeysWithValues: budget.map { ($0.key, $0.value.decimalValue) }))
  }
}

final class StopObject: EmbeddedObject {
  @Persisted var city: String
  @Persisted var nights: Int
  @Persisted(originProperty: "stops") var trips: LinkingObjects<TripObject>

  convenience init(_ stop: Trip.Stop) {
    self.init()
    city = stop.city
    nights = stop.nights
  }

  func toDomain() -> Trip.Stop { .init(city: city, nights: nights) }
}

protocol TripRepository {
  func save(_ trip: Trip, completion: (Result<Void, Error>) -> Void)
  func trips(sortedBy descriptors: [RealmSwift.SortDescriptor]) -> [Trip]
  func remove(id: Trip.ID) throws
}

enum TripError: Error, Equatable {
  case notFound(UUID)
}

final class RealmTripRepository: TripRepository {
  private let realmProvider: () throws -> Realm

  init(realmProvider: @escaping () throws -> Realm = { try Realm() }) {
    self.realmProvider = realmProvider
  }

  func save(_ trip: Trip, completion: (Result<Void, Error>) -> Void) {
    do {
      let realm = try realmProvider()
      try realm.write { realm.add(TripObject(trip), update: .all) }
      completion(.success(()))
    } catch {
      completion(.failure(error))
    }
  }

  func trips(sortedBy descriptors: [RealmSwift.SortDescriptor]) -> [Trip] {
    (try? realmProvider().objects(TripObject.self).sorted(by: descriptors).map { $0.toDomain() })
      ?? []
  }

  func remove(id: Trip.ID) throws {
    let realm = try realmProvider()
    guard let object = realm.object(ofType: TripObject.self, forPrimaryKey: id) else {
      throw TripError.notFound(id)
    }
    try realm.write { realm.delete(object) }
  }
}

extension CommonDeclarations {
  @Test func `trips that are values outside of their repository`() throws {
    try withDefaultRealm(of: TripObject.self, StopObject.self) {
      let repository: TripRepository = RealmTripRepository()
      var trip = Trip(
        id: UUID(), name: "North", stops: [.init(city: "Oslo", nights: 2)],
        budget: ["food": Decimal(string: "120.50")!])
      let other = Trip(id: UUID(), name: "East", stops: [], budget: [:])
      for trip in [trip, other] {
        repository.save(trip) { result in
          if case .failure(let error) = result { Issue.record(error) }
        }
      }
      trip.stops.append(.init(city: "Bergen", nights: 3))
      trip.budget["rail"] = 99
      repository.save(trip) { _ in }
      #expect(repository.trips(sortedBy: ["name"]) == [other, trip])
      let realm = try Realm()
      let long = realm.objects(TripObject.self).where { $0.stops.nights.sum >= 5 }
      #expect(long.first?.stops.last?.trips.first?.name == "North")
      #expect(realm.objects(TripObject.self).where { $0.budget["rail"] < 100 }.count == 1)
      try repository.remove(id: other.id)
      #expect(throws: TripError.notFound(other.id)) { try repository.remove(id: other.id) }
      #expect(realm.objects(TripObject.self).first?.toDomain() == trip)
    }
  }
}
