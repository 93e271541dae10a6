// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

// The models that the first page of Realm's documentation has, more or less.

class Pet: Object {
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var kind: Kind = .cat
  @Persisted var treats: RealmSwift.List<String>
  @Persisted(originProperty: "pets") var keepers: LinkingObjects<PetKeeper>

  enum Kind: String, PersistableEnum { case cat, dog, other }
}

class PetKeeper: Object {
  @Persisted(primaryKey: true) var _id: String
  @Persisted var name: String
  @Persisted var pets: List<Pet>
  @Persisted var home: PetHome?
}

class PetHome: EmbeddedObject {
  @Persisted var street: String?
  @Persisted var rooms: Map<String, String?>
}

extension Realm {
  static var shared: Realm {
    do {
      return try Realm()
    } catch {
      fatalError("can not initialise realm: \(error)")
    }
  }
}

extension Object {
  func save(update: Realm.UpdatePolicy = .error) {
    let realm = Realm.shared
    try! realm.write { realm.add(self, update: update) }
  }

  func deleteSelf() {
    if isInvalidated == true || realm == nil { return }
    try? realm?.write { realm?.delete(self) }
  }
}

extension CommonDeclarations {
  @Test func `pets and their keepers`() throws {
    try withDefaultRealm(of: Pet.self, PetKeeper.self, PetHome.self) {
      let rex = Pet()
      rex.name = "Rex"
      rex.age = 10
      let realm = try! Realm()
      let young = realm.objects(Pet.self).where { $0.age < 2 }
      #expect(young.count == 0)
      try! realm.write { realm.add(rex) }
      DispatchQueue(label: "background").sync {
        autoreleasepool {
          let realm = try! Realm()
          let pet = realm.objects(Pet.self).where { $0.age == 10 }.first
          try! realm.write {
            pet!.age = 1
            pet!.treats.append("bone")
          }
        }
      }
      realm.refresh()
      #expect(young.count == 1 && rex.age == 1 && rex.treats.first == "bone")
      let keeper = PetKeeper(value: [
        "_id": "k", "name": "Jo", "pets": [rex, ["name": "Tom", "age": 3]],
      ])
      keeper.save()
      let other = PetKeeper(
        value: ["x", "Al", [[], ["Ed", 5, "other"]], ["street": "Hill 1"]] as [Any])
      other.save(update: .modified)
      #expect(rex.keepers.first?.name == "Jo" && other.pets[1].kind == .other)
      #expect(other.pets[0].name == "" && other.home?.street == "Hill 1")
      try realm.write {
        other.home = PetHome(value: ["rooms": ["hall": "red", "attic": nil] as [String: String?]])
        other.pets.replace(index: 0, object: keeper.pets[1])
        keeper.name = other.name + keeper.name
      }
      #expect(
        other.home?.rooms["hall"] == "red" && other.home?.rooms.keys.contains("attic") == true)
      #expect(realm.objects(Pet.self).filter("age > 2 AND name BEGINSWITH 'T'").count == 1)
      #expect(realm.objects(Pet.self).filter("ANY keepers.name == 'AlJo'").count == 2)
      #expect(realm.objects(Pet.self).filter("keepers.@count == 0").count == 1)
      #expect(realm.objects(PetKeeper.self).where { $0.pets.age.sum > 7 }.first == other)
      #expect(
        realm.objects(PetKeeper.self).where { $0._id == "k" }.first?.isSameObject(as: keeper)
          == true)
      other.deleteSelf()
      other.deleteSelf()
      #expect(realm.objects(PetKeeper.self).count == 1)
    }
  }
}
