// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Plant: Object {
  @Persisted(primaryKey: true) private(set) var key: String
  @Persisted var species: String
  @Persisted var bed: Int
  @Persisted private var _light: Int
  @Persisted var plantedAt: Date = Calendar.current.startOfDay(for: Date())
  @Persisted var wateredEvery: Int = Plant.defaultInterval
  @Persisted var labels: List<String> = {
    let list = List<String>()
    list.append("new")
    return list
  }()

  static let defaultInterval = 3
  let formatter = NumberFormatter()
  var isSelected = false {
    didSet { selections += 1 }
  }
  private(set) var selections = 0
  lazy var code: String = "\(species.prefix(3).uppercased())-\(bed)"

  /// The meaning of the stored number.
  enum Light: Int { case shade, half, sun }
  var light: Light {
    get { Light(rawValue: _light) ?? .shade }
    set { _light = newValue.rawValue }
  }

  /// The key is of several properties.
  convenience init(_ species: String, bed: Int, light: Light = .half) {
    self.init()
    self.species = species
    self.bed = bed
    self.light = light
    self.key = Plant.key(species, bed)
  }

  static func key(_ species: String, _ bed: Int) -> String { "\(species)|\(bed)" }

  override static func indexedProperties() -> [String] {
    return ["species"]
  }
}

extension Plant: Comparable {
  static func < (lhs: Plant, rhs: Plant) -> Bool { (lhs.bed, lhs.species) < (rhs.bed, rhs.species) }
}

extension Plant {
  var nextWatering: Date {
    Calendar.current.date(byAdding: .day, value: wateredEvery, to: plantedAt) ?? plantedAt
  }

  func update(_ block: (Plant) -> Void) {
    guard let realm = realm else { return block(self) }
    if realm.isInWriteTransaction { return block(self) }
    try! realm.write { block(self) }
  }
}

protocol Fetchable {}

extension Fetchable where Self: Object {
  static func all() -> Results<Self> { try! Realm().objects(Self.self) }
  static func find(_ key: Any) -> Self? {
    try! Realm().object(ofType: Self.self, forPrimaryKey: key)
  }
  static func findOrCreate<K>(_ name: String, _ key: K) -> Self {
    find(key) ?? (try! Realm()).create(Self.self, value: [name: key])
  }
}

extension Plant: Fetchable {}

extension CommonDeclarations {
  @Test func `a garden with properties that are computed`() throws {
    try withDefaultRealm(of: Plant.self) {
      let realm = try Realm()
      let bean = Plant("Bean", bed: 2, light: .sun)
      bean.update { $0.wateredEvery = 1 }
      try realm.write { realm.add([bean, Plant("Kale", bed: 1), Plant("Beet", bed: 2)]) }
      bean.update { bean in bean.update { $0.labels.append("climbs") } }
      bean.isSelected = true
      #expect(Plant.find("Bean|2") == bean && Plant.find("Pea|1") == nil)
      #expect(bean.light == .sun && bean.code == "BEA-2" && bean.selections == 1)
      #expect(bean.nextWatering > bean.plantedAt && bean.formatter.numberStyle == .none)
      #expect(Array(bean.labels) == ["new", "climbs"] && Plant.all().last?.labels.count == 1)
      #expect(Plant.all().sorted(by: <).map { $0.key } == ["Kale|1", "Bean|2", "Beet|2"])
      #expect(Plant.all().max()?.species == "Beet" && Plant.all().min { $0 < $1 }?.bed == 1)
      #expect(Plant.all().sorted { $0.species < $1.species }.first == bean)
      #expect(Plant.all().filter("_light == %d", Plant.Light.half.rawValue).count == 2)
      let pea = try realm.write { Plant.findOrCreate("key", Plant.key("Pea", 9)) }
      #expect(pea.wateredEvery == Plant.defaultInterval && pea.light == .shade)
      try realm.write {
        realm.add(Plant("Bean", bed: 2), update: .modified)
        realm.delete(Plant.all().where { $0.bed == 1 || $0.bed == 0 })
      }
      #expect(bean.light == .half && bean.wateredEvery == 3 && Plant.all().count == 2)
    }
  }
}
