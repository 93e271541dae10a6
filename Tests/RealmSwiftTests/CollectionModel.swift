import Foundation
import RealmSwift
import TestKit

final class Hound: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int
  @Persisted var weight: Double?
  @Persisted var leader: Hound?
  @Persisted(originProperty: "leader") var followers: LinkingObjects<Hound>
}

final class Pound: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var hounds: List<Hound>
  @Persisted var pack: MutableSet<Hound>
  @Persisted var byName: Map<String, Hound?>
  @Persisted var numbers: List<Int>
  @Persisted var weights: MutableSet<Double?>
  @Persisted var scores: Map<String, Int>
  @Persisted var bowls: List<Bowl>
}

final class Bowl: EmbeddedObject {
  @Persisted var litres: Double
}

/// A store with three hounds, which are in every collection of their pound.
struct PoundFixture {
  let folder = TemporaryFolder()
  let realm: Realm
  let pound: Pound
  let leader: Hound

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.file("default.realm"),
        objectTypes: [Hound.self, Pound.self, Bowl.self]))
    leader = Hound(value: ["name": "Dux", "age": 11] as [String: Any])
    pound = Pound()
    let (realm, pound, leader) = (realm, pound, leader)
    try realm.write {
      realm.add(leader)
      Self.fill(pound)
      realm.add(pound)
      for hound in pound.hounds { hound.leader = leader }
    }
  }

  /// Gives a pound what it has in the store, or without one.
  static func fill(_ pound: Pound) {
    pound.name = "North"
    let hounds: [[String: Any]] = [
      ["name": "Ada", "age": 3, "weight": 10.5], ["name": "Bo", "age": 7],
      ["name": "Cy", "age": 5, "weight": 20.0],
    ]
    for value in hounds {
      let hound = Hound(value: value)
      pound.hounds.append(hound)
      pound.pack.insert(hound)
      pound.byName[hound.name] = hound
    }
    pound.numbers.append(objectsIn: [4, 2, 6])
    pound.weights.insert(objectsIn: [1.5, nil, 2.5])
    pound.scores["agility"] = 8
    pound.scores["speed"] = 5
    pound.bowls.append(objectsIn: [Bowl(value: [0.5]), Bowl(value: [1.5])])
  }

  static func unmanaged() -> Pound {
    let pound = Pound()
    fill(pound)
    return pound
  }
}
