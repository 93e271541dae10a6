public import AtollRealm
public import Foundation
import TestKit
import Testing

// The code of Realm Swift's documentation of type projection, from top to bottom, with what the
// prose around it promises. Corrected only where the page has a misprint (`@Persisted var x: Double`
// for `double: x`), where it dropped `@Persisted`, and where Swift 6 asks for more.
// Source: the pages "CustomPersistable", "FailableCustomPersistable" and "Type Projection" of the
// Realm Swift SDK 10.54.

// MARK: CustomPersistable

// "Not all strings are valid URLs, so this uses FailableCustomPersistable to handle the case when
// the data in the Realm isn't a valid URL."
extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) {
    self.init(string: persistedValue)
  }
  public var persistableValue: PersistedType {
    self.absoluteString
  }
}

// "After doing this, you can define properties using URL."
class MyModel: Object {
  @Persisted var url: URL
  @Persisted var mapOfUrls: Map<String, URL>
}

// "Define the storage object. A type used for custom mappings does not have to be used exclusively
// for custom mappings, and more than one type can map to a single embedded object type."
public class CGPointObject: EmbeddedObject {
  @Persisted var x: Double
  @Persisted var y: Double
}

// "This mapping isn't failable, as the data stored in the Realm can always be interpreted as a
// CGPoint."
extension CGPoint: CustomPersistable {
  public typealias PersistedType = CGPointObject
  public init(persistedValue: CGPointObject) {
    self.init(x: persistedValue.x, y: persistedValue.y)
  }
  public var persistableValue: PersistedType {
    CGPointObject(value: [x, y])
  }
}

class PointModel: Object {
  // "Note that types which are mapped to embedded objects do not have to be optional (but can be)."
  @Persisted var point: CGPoint
  @Persisted var line: List<CGPoint>
}

// MARK: Type projection

/// CoreLocation's, which Linux does not have.
struct CLLocationCoordinate2D {
  var latitude: Double
  var longitude: Double
}

// "Extend a type as a CustomPersistable if it is impossible for conversion between the mapped type
// and the persisted type to fail."
extension CLLocationCoordinate2D: CustomPersistable {
  public typealias PersistedType = Location
  public init(persistedValue: PersistedType) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }
  public var persistableValue: PersistedType {
    Location(value: [self.latitude, self.longitude])
  }
  static func == (a: Self, b: Self) -> Bool {
    (a.latitude, a.longitude) == (b.latitude, b.longitude)
  }
}

public class Location: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double
}

class Club: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name: String
  // "Since we declared the URL type as FailableCustomPersistable, we can use it as a property type."
  @Persisted var url: URL?
  @Persisted var location: CLLocationCoordinate2D
}

/// The same class before its property was projected.
enum Earlier {
  class Club: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
    @Persisted var url: String?
    @Persisted var location: Location?
  }
}

@Suite struct `the documentation of type projection` {
  private let folder = TemporaryFolder()

  private func open(_ types: [ObjectBase.Type]) throws -> Realm {
    try Realm(configuration: folder.configuration(types))
  }

  private static let clubTypes: [ObjectBase.Type] = [Club.self, Location.self]

  private func openClubs() throws -> Realm { try open(Self.clubTypes) }

  // MARK: CustomPersistable

  @Test func `a URL is stored as a string, in a property and in a map`() throws {
    let realm = try open([MyModel.self])
    let model = MyModel()
    model.url = try #require(URL(string: "https://www.mongodb.com"))
    model.mapOfUrls["docs"] = URL(string: "https://www.mongodb.com/docs")
    try realm.write { realm.add(model) }
    #expect(model.url.host == "www.mongodb.com")
    #expect(model.mapOfUrls["docs"]?.lastPathComponent == "docs")
    #expect(model.mapOfUrls["other"] == nil)
    let stored = try #require(realm.dynamicObjects("MyModel").first)
    #expect(stored["url"] as? String == "https://www.mongodb.com")
  }

  @Test func `a required URL without a default can be asked for`() throws {
    let realm = try open([MyModel.self])
    let here = try #require(URL(string: "https://www.mongodb.com"))
    try realm.write { realm.create(MyModel.self, value: ["url": here]) }
    let models = realm.objects(MyModel.self)
    #expect(models.where { $0.url == here }.count == 1)
    #expect(models.where { $0.url != here }.isEmpty)
    #expect(models.filter("url BEGINSWITH 'https'").sorted(by: \.url).first?.url == here)
  }

  @Test func `a point is stored as an embedded object, in a property and in a list`() throws {
    let realm = try open([PointModel.self, CGPointObject.self])
    let model = PointModel()
    model.point = CGPoint(x: 1, y: 2)
    model.line.append(objectsIn: [CGPoint(x: 0, y: 0), CGPoint(x: 3, y: 4)])
    try realm.write { realm.add(model) }
    #expect(model.point == CGPoint(x: 1, y: 2))
    #expect(Array(model.line) == [CGPoint(x: 0, y: 0), CGPoint(x: 3, y: 4)])
    #expect(realm.schema["PointModel"]?["point"]?.isOptional == true)
    #expect(realm.schema["PointModel"]?["point"]?.objectClassName == "CGPointObject")
  }

  @Test func `queries take mapped values, and compare embedded ones memberwise`() throws {
    let realm = try open([PointModel.self, CGPointObject.self])
    try realm.write {
      for number in 0..<4 {
        realm.create(PointModel.self, value: ["point": CGPoint(x: 1, y: Double(number))])
      }
    }
    let points = realm.objects(PointModel.self)
    let mapped = points.where { $0.point == CGPoint(x: 1, y: 2) }
    #expect(mapped.map(\.point) == [CGPoint(x: 1, y: 2)])
    let text = points.filter("point.x == 1 AND point.y == 2")
    #expect(text.map(\.point) == mapped.map(\.point))
    #expect(points.where { $0.point.persistableValue.y > 1 }.count == 2)
  }

  @Test func `a point that is null reads as the default`() throws {
    let realm = try open([PointModel.self, CGPointObject.self])
    try realm.write { realm.create(PointModel.self, value: ["point": NSNull()]) }
    #expect(realm.objects(PointModel.self).first?.point == CGPoint(x: 0, y: 0))
    #expect(realm.objects(PointModel.self).first?.$point.persistedValue == nil)
  }

  // MARK: FailableCustomPersistable

  @Test func `what does not convert is nil where optional, and never overwritten`() throws {
    let realm = try openClubs()
    try realm.write { realm.create(Club.self, value: ["url": "https://[nowhere"]) }
    let club = try #require(realm.objects(Club.self).first)
    #expect(club.url == nil)
    #expect(club.$url.persistedValue == "https://[nowhere")
    #expect(!club.$url.isConvertible)
    #expect(realm.unconvertible(Club.self).count == 1)
  }

  // MARK: Create objects with projected properties

  @Test func `a club is created from its persisted values`() throws {
    let realm = try openClubs()
    let club = Club(value: ["name": "American Kennel Club", "url": "https://akc.org"])
    try realm.write { realm.add(club) }
    #expect(club.url == URL(string: "https://akc.org"))
    #expect(club.location == CLLocationCoordinate2D(latitude: 0, longitude: 0))
  }

  @Test func `a club is created by assignment of mapped values`() throws {
    let realm = try openClubs()
    try realm.write {
      let club = Club()
      club.name = "American Kennel Club"
      club.url = URL(string: "https://akc.org")
      club.location = CLLocationCoordinate2D(latitude: 40.7509, longitude: -73.9777)
      realm.add(club)
    }
    let club = try #require(realm.objects(Club.self).first)
    #expect(club.location.latitude == 40.7509)
    #expect(club.url?.host == "akc.org")
  }

  @Test func `a club is created from mapped values, dictionaries and arrays`() throws {
    let realm = try openClubs()
    let forms: [Any] = [
      CLLocationCoordinate2D(latitude: 1, longitude: 2), Location(value: [1, 2]), [1, 2],
      ["latitude": 1, "longitude": 2],
    ]
    try realm.write {
      for form in forms { realm.create(Club.self, value: ["name": "a", "location": form]) }
    }
    let here = CLLocationCoordinate2D(latitude: 1, longitude: 2)
    #expect(realm.objects(Club.self).allSatisfy { $0.location == here })
    #expect(realm.objects(Club.self).where { $0.location == here }.count == 4)
  }

  // MARK: Query

  @Test func `string predicates read what is stored`() throws {
    let realm = try openClubs()
    try realm.write {
      realm.create(Club.self, value: ["name": "a", "url": "https://akc.org"])
      realm.create(Club.self, value: ["name": "b", "url": "https://fci.be"])
      realm.create(Club.self, value: ["name": "c"])
    }
    let clubs = realm.objects(Club.self)
    #expect(clubs.filter("url == 'https://akc.org'").map(\.name) == ["a"])
    let url = try #require(URL(string: "https://akc.org"))
    #expect(clubs.filter("url == %@", url).map(\.name) == ["a"])
    #expect(clubs.where { $0.url == url }.map(\.name) == ["a"])
    #expect(clubs.where { $0.url == nil }.map(\.name) == ["c"])
    #expect(clubs.where { $0.url.persistableValue.ends(with: ".be") }.map(\.name) == ["b"])
    #expect(clubs.filter("location.latitude == 0").isEmpty == false)
  }

  // MARK: Dynamic API and migration

  @Test func `the dynamic interface reads strings and writes mapped values`() throws {
    let realm = try openClubs()
    let id = ObjectId.generate()
    try realm.write {
      realm.create(Club.self, value: ["id": id, "url": "https://akc.org"] as [String: Any])
    }
    let club = try #require(realm.dynamicObject(ofType: "Club", forPrimaryKey: id))
    #expect(club["url"] as? String == "https://akc.org")
    let other = try #require(URL(string: "https://fci.be"))
    try realm.write { club["url"] = other }
    #expect(club["url"] as? String == "https://fci.be")
    #expect(realm.object(ofType: Club.self, forPrimaryKey: id)?.url == other)
  }

  @Test func `a migration reads strings and writes mapped values`() throws {
    do {
      let realm = try openClubs()
      try realm.write { realm.create(Club.self, value: ["name": "a", "url": "http://akc.org"]) }
      realm.close()
    }
    var configuration = folder.configuration(Self.clubTypes)
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: Club.className()) { old, new in
        let text = old?["url"] as? String
        new?["url"] = text.flatMap { URL(string: $0.replacing("http://", with: "https://")) }
        new?["location"] = CLLocationCoordinate2D(latitude: 3, longitude: 4)
      }
    }
    let realm = try Realm(configuration: configuration)
    let club = try #require(realm.objects(Club.self).first)
    #expect(club.url == URL(string: "https://akc.org"))
    #expect(club.location == CLLocationCoordinate2D(latitude: 3, longitude: 4))
  }

  @Test func `projecting a property that was a string needs no migration`() throws {
    do {
      let realm = try open([Earlier.Club.self, Location.self])
      try realm.write {
        let club = realm.create(Earlier.Club.self, value: ["name": "a", "url": "https://akc.org"])
        club.location = Location(value: [5, 6])
      }
      realm.close()
    }
    let club = try #require(try openClubs().objects(Club.self).first)
    #expect(club.url == URL(string: "https://akc.org"))
    #expect(club.location == CLLocationCoordinate2D(latitude: 5, longitude: 6))
  }

  @Test func `an object's observer is told persisted values`() async throws {
    let realm = try openClubs()
    let club = Club(value: ["name": "a", "url": "https://akc.org"])
    try realm.write { realm.add(club) }
    #expect(club["url"] as? String == "https://akc.org")
    #expect(realm.objects(Club.self).value(forKey: "url") as? [String?] == ["https://akc.org"])
  }
}
