import AtollRealm
import Foundation
import TestKit
import Testing

// A model and its data access as one writes them for Realm Swift; only the import differs.

final class Dog: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int
  @Persisted var owner: Owner?
}

final class Owner: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name = ""
  @Persisted var dogs: List<Dog>
}

final class DogRepository {
  let realm: Realm

  init(configuration: Realm.Configuration) throws {
    realm = try Realm(configuration: configuration)
  }

  func add(_ dog: Dog, to owner: Owner) throws {
    try realm.write {
      realm.add(owner)
      dog.owner = owner
      owner.dogs.append(dog)
    }
  }

  func puppies() -> Results<Dog> {
    realm.objects(Dog.self).where { $0.age < 2 }.sorted(byKeyPath: "age", ascending: true)
  }

  func observe(
    on queue: DispatchQueue, _ block: @escaping @Sendable (Int) -> Void
  ) -> NotificationToken {
    realm.objects(Dog.self).observe(on: queue) { (change: RealmCollectionChange) in
      switch change {
      case .initial(let dogs): block(dogs.count)
      case .update(let dogs, deletions: _, insertions: _, modifications: _): block(dogs.count)
      case .error: block(-1)
      }
    }
  }
}

@Suite struct AtollRealmTests {
  @Test func `data access written to Realm Swift works with the import changed`() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let configuration = folder.configuration([Dog.self, Owner.self])
    let repository = try DogRepository(configuration: configuration)
    let owner = Owner(value: ["name": "Ann"])
    try repository.add(Dog(value: ["name": "Rex", "age": 1]), to: owner)
    try repository.add(Dog(value: ["name": "Old", "age": 12]), to: Owner())
    #expect(repository.puppies().map(\.name) == ["Rex"])
    #expect(repository.puppies().first?.owner?.name == "Ann")
    #expect(owner.dogs.count == 1)
    #expect(owner.realm === repository.realm)
    #expect(owner.dogs.realm === repository.realm)
    #expect(repository.puppies().realm === repository.realm)
    #expect(repository.realm.object(ofType: Dog.self, forPrimaryKey: "Old")?.age == 12)
  }
}
