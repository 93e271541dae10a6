// The code of the page "Projecting your own types". `Tests/HouseTests` sees that every block of the
// page stands here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

// A website, stored as text.

extension URL: @retroactive FailableCustomPersistable {
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

// A time zone, stored as its identifier.

extension TimeZone: @retroactive FailableCustomPersistable {
  public init?(persistedValue: String) { self.init(identifier: persistedValue) }
  public var persistableValue: String { identifier }
}

// A language, stored as its identifier: every text makes a locale.

extension Locale: @retroactive CustomPersistable {
  public init(persistedValue: String) { self.init(identifier: persistedValue) }
  public var persistableValue: String { identifier }
}

// A length, stored in metres: queries and sorting compare what is stored.

extension Measurement: @retroactive CustomPersistable where UnitType == UnitLength {
  public init(persistedValue: Double) { self.init(value: persistedValue, unit: .meters) }
  public var persistableValue: Double { converted(to: .meters).value }
}

// Several numbers that belong together, stored as an embedded object.

public final class StoredRectangle: EmbeddedObject {
  @Persisted var x: Double
  @Persisted var y: Double
  @Persisted var width: Double
  @Persisted var height: Double
}

extension CGRect: @retroactive CustomPersistable {
  public init(persistedValue stored: StoredRectangle) {
    self.init(x: stored.x, y: stored.y, width: stored.width, height: stored.height)
  }
  public var persistableValue: StoredRectangle {
    StoredRectangle(value: [origin.x, origin.y, size.width, size.height])
  }
}

// A span of time. What was written with its ends in the wrong order does not convert.

public final class StoredSpan: EmbeddedObject {
  @Persisted var start: Date
  @Persisted var end: Date
}

extension Range: @retroactive FailableCustomPersistable where Bound == Date {
  public init?(persistedValue stored: StoredSpan) {
    guard stored.start <= stored.end else { return nil }
    self = stored.start..<stored.end
  }
  public var persistableValue: StoredSpan {
    StoredSpan(value: ["start": lowerBound, "end": upperBound])
  }
}

// Options, stored as the integer they are.

struct Amenities: OptionSet {
  let rawValue: Int
  static let parking = Amenities(rawValue: 1)
  static let cafe = Amenities(rawValue: 2)
  static let wheelchair = Amenities(rawValue: 4)
}

extension Amenities: CustomPersistable {
  init(persistedValue: Int) { self.init(rawValue: persistedValue) }
  var persistableValue: Int { rawValue }
}

// A duration, stored in whole milliseconds.

extension Duration: @retroactive CustomPersistable {
  public init(persistedValue: Int) { self = .milliseconds(persistedValue) }
  public var persistableValue: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

// A type of yours around one of another library's.

struct Price: Equatable {
  var amount: Decimal
}

extension Price: FailableCustomPersistable {
  init?(persistedValue: String) {
    guard let amount = Decimal(string: persistedValue) else { return nil }
    self.init(amount: amount)
  }
  var persistableValue: String { amount.description }
}

// The model.

final class Museum: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var website: URL?
  @Persisted var timeZone: TimeZone = TimeZone(secondsFromGMT: 0) ?? .current
  @Persisted var languages: MutableSet<Locale>
  @Persisted var ceiling: Measurement<UnitLength>
  @Persisted var hall: CGRect
  @Persisted var exhibition: Range<Date>?
  @Persisted var amenities: Amenities
  @Persisted var tour: Duration
  @Persisted var prices: Map<String, Price>
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("projecting-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appendingPathComponent("museums.atoll")

// Values of the application's own types go in, and come out.

let store = try Store(
  configuration: .init(
    fileURL: file, objectTypes: [Museum.self, StoredRectangle.self, StoredSpan.self]))
try store.write {
  let museum = Museum()
  museum.name = "Kunsthaus"
  museum.website = URL(string: "https://kunsthaus.example")
  museum.ceiling = Measurement(value: 480, unit: .centimeters)
  museum.hall = CGRect(x: 0, y: 0, width: 40, height: 25)
  museum.amenities = [.cafe, .wheelchair]
  museum.tour = .seconds(90 * 60)
  museum.languages.insert(objectsIn: [Locale(identifier: "de_CH"), Locale(identifier: "en_GB")])
  museum.prices["adult"] = Price(amount: 24.5)
  store.add(museum)
}

// Queries take them too.

let high = store.objects(Museum.self).where {
  $0.ceiling >= Measurement(value: 4, unit: .meters) && $0.website != nil
}
print(high.map(\.name))

// Creation accepts mapped and stored forms alike.

try store.write {
  store.create(
    Museum.self,
    value: [
      "name": "Naturama", "website": "https://naturama.example", "ceiling": 3.2,
      "hall": ["width": 30, "height": 12], "timeZone": "Europe/Zurich",
    ] as [String: Any])
}
print(store.objects(Museum.self).sorted(by: \.ceiling).map(\.hall.width))

// Values that do not convert are found before they are read.

try store.write {
  store.create(Museum.self, value: ["name": "Broken", "timeZone": "Mars/Olympus"])
}
for finding in store.unconvertible(Museum.self) { print(finding) }
let broken = store.object(ofType: Museum.self, forPrimaryKey: "Broken")
print(broken?.$timeZone.persistedValue ?? "", broken?.$timeZone.isConvertible ?? true)
