import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

// One class before and after its names were changed: in the file, and for peers, it is one class with
// one set of names.

private final class AddressBefore: EmbeddedObject {
  @Persisted(.either) var town: String
  override class func className() -> String { "AliasedAddress" }
}

private final class PersonBefore: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(indexed: .either) var fullName: String
  @Persisted(.either) var marks: List<String>
  @Persisted(.either) var best: PersonBefore?
  @Persisted(.either) var address: AddressBefore?
  override class func className() -> String { "AliasedPerson" }
}

private final class Home: EmbeddedObject {
  @Persisted(.either) var city: String
  override class func className() -> String { "AliasedAddress" }
  override class func propertiesMapping() -> [String: String] { ["city": "town"] }
}

private final class Member: Object {
  @Persisted(primaryKey: .either) var number: Int
  @Persisted(indexed: .either) var name: String
  @Persisted(.either) var tags: List<String>
  @Persisted(.either) var friend: Member?
  @Persisted(.either) var home: Home?
  override class func className() -> String { "AliasedPerson" }
  override class func propertiesMapping() -> [String: String] {
    ["number": "id", "name": "fullName", "tags": "marks", "friend": "best", "home": "address"]
  }
}

/// The class once more, with the new name and no alias: a property of its own.
private final class Renamed: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var name: String
  override class func className() -> String { "AliasedPerson" }
}

/// A rename is an alias: the names of the file and of peers stay, and those of the program change.
@Suite struct AliasTests {
  private let before = [PersonBefore.self, AddressBefore.self] as [ObjectBase.Type]
  private let after = [Member.self, Home.self] as [ObjectBase.Type]
  private let id = UUID()

  private func fill(_ store: Store) throws {
    try store.write {
      let ada = store.create(
        PersonBefore.self, value: ["id": 1, "fullName": "Ada", "marks": ["a"]])
      store.create(
        PersonBefore.self,
        value: ["id": 2, "fullName": "Alan", "best": ada, "address": ["town": "Wilmslow"]])
    }
  }

  private func configuration(_ replica: Replica, _ types: [ObjectBase.Type]) -> Store.Configuration
  {
    var configuration = Store.Configuration(fileURL: replica.folder.file, objectTypes: types)
    configuration.storeID = id
    return configuration
  }

  /// The operations that the file has made.
  private func operations(_ replica: Replica) throws -> Int {
    let file = try StoreFile.open(replica.folder.file.path)
    defer { file.close() }
    try file.beginRead()
    return try file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: Limits.batchBytes
    ).entries.count
  }

  @Test func `a file is read under the new names, without a version and without a write`() throws {
    let replica = try Replica(before)
    let old = try replica.open(id)
    try fill(old)
    old.close()
    let written = try operations(replica)
    let store = try Store(configuration: configuration(replica, after))
    let alan = try #require(store.object(ofType: Member.self, forPrimaryKey: 2))
    #expect(alan.name == "Alan" && alan.friend?.name == "Ada" && alan.home?.city == "Wilmslow")
    #expect(alan.friend.map { Array($0.tags) } == ["a"])
    #expect(store.objects(Member.self).where { $0.friend.name == "Ada" }.count == 1)
    #expect(store.objects(Member.self).filter("home.city == 'Wilmslow'").first?.number == 2)
    #expect(
      store.objects(Member.self).sorted(by: \.name, ascending: false).map(\.number) == [2, 1])
    #expect(alan["name"] as? String == "Alan")
    store.close()
    #expect(try operations(replica) == written)
  }

  @Test func `peers on the old names and on the new ones write the same properties`() throws {
    let (old, new) = (try Replica(before), try Replica(before))
    let theirs = try old.open(id)
    try fill(theirs)
    let ours = try Store(configuration: configuration(new, after))
    try new.receive(from: old)
    ours.refresh()
    let alan = try #require(ours.object(ofType: Member.self, forPrimaryKey: 2))
    try ours.write {
      alan.name = "Turing"
      alan.tags.append("t")
      alan.friend = nil
      alan.home?.city = "London"
      ours.create(Member.self, value: ["number": 3, "name": "Grace"])
    }
    try old.receive(from: new)
    theirs.refresh()
    let his = try #require(theirs.object(ofType: PersonBefore.self, forPrimaryKey: 2))
    #expect(his.fullName == "Turing" && Array(his.marks) == ["t"] && his.best == nil)
    #expect(his.address?.town == "London")
    #expect(theirs.object(ofType: PersonBefore.self, forPrimaryKey: 3)?.fullName == "Grace")
    try theirs.write { his.fullName = "A. M. Turing" }
    try new.receive(from: old)
    ours.refresh()
    #expect(alan.name == "A. M. Turing")
  }

  @Test
  func `concurrent writes by both names are decided as one property, and neither is kept beside`()
    throws
  {
    let (old, new) = (try Replica(before), try Replica(before))
    let theirs = try old.open(id)
    try fill(theirs)
    let ours = try Store(configuration: configuration(new, after))
    try new.receive(from: old)
    ours.refresh()
    try theirs.write { theirs.object(ofType: PersonBefore.self, forPrimaryKey: 1)?.fullName = "T" }
    try ours.write { ours.object(ofType: Member.self, forPrimaryKey: 1)?.name = "O" }
    try new.receive(from: old)
    try old.receive(from: new)
    ours.refresh()
    theirs.refresh()
    let name = ours.object(ofType: Member.self, forPrimaryKey: 1)?.name
    #expect(theirs.object(ofType: PersonBefore.self, forPrimaryKey: 1)?.fullName == name)
    #expect(ours.conflicts.count == 1 && ours.conflicts.first?.propertyPath == "fullName")
    let file = try StoreFile.open(new.folder.file.path)
    defer { file.close() }
    let stored = try #require(try file.storedClass(named: "AliasedPerson"))
    #expect(stored.properties.map(\.name).sorted() == ["address", "best", "fullName", "marks"])
  }

  @Test func `a rename in a migration onto an alias copies nothing`() throws {
    let replica = try Replica(before)
    let old = try replica.open(id)
    try fill(old)
    old.close()
    let written = try operations(replica)
    var configuration = configuration(replica, after)
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.renameProperty(onType: "AliasedPerson", from: "fullName", to: "name")
    }
    let store = try Store(configuration: configuration)
    #expect(store.objects(Member.self).map(\.name) == ["Ada", "Alan"])
    store.close()
    #expect(try operations(replica) == written)
  }

  @Test func `what is observed under the new name is told under it`() throws {
    let replica = try Replica(before)
    let theirs = try replica.open(id)
    try fill(theirs)
    let ours = try Store(configuration: configuration(replica, after))
    let heard = Heard<[String]>()
    let ada = try #require(ours.object(ofType: Member.self, forPrimaryKey: 1))
    let token = ada.observe(keyPaths: ["name"], on: heard.queue) { change in
      guard case .change(_, let changes) = change else { return }
      heard.note(changes.map { "\($0.name) \($0.newValue ?? "-")" })
    }
    try theirs.write { theirs.object(ofType: PersonBefore.self, forPrimaryKey: 1)?.fullName = "A." }
    #expect(heard.next() == ["name A."])
    token.invalidate()
  }

  @Test func `values under both names stay apart, and a migration brings them together`() throws {
    let replica = try Replica(before)
    let old = try replica.open(id)
    try fill(old)
    old.close()
    // A build that renamed without an alias, and wrote.
    let between = try Store(configuration: configuration(replica, [Renamed.self]))
    try between.write {
      #expect(between.object(ofType: Renamed.self, forPrimaryKey: 1)?.name == "")
      between.object(ofType: Renamed.self, forPrimaryKey: 1)?.name = "Ada Lovelace"
      between.create(Renamed.self, value: [3, "Grace"])
    }
    between.close()
    var configuration = configuration(replica, after)
    let aliased = try Store(configuration: configuration)
    #expect(aliased.objects(Member.self).map(\.name) == ["Ada", "Alan", ""])
    aliased.close()
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "AliasedPerson") { old, new in
        if let name = old?["name"] as? String, !name.isEmpty { new?["name"] = name }
      }
    }
    let joined = try Store(configuration: configuration)
    #expect(joined.objects(Member.self).map(\.name) == ["Ada Lovelace", "Alan", "Grace"])
    joined.close()
    // A build with the old name sees them as well.
    var former = self.configuration(replica, before)
    former.schemaVersion = 1
    let present = try Store(configuration: former)
    #expect(
      present.objects(PersonBefore.self).map(\.fullName) == ["Ada Lovelace", "Alan", "Grace"])
  }
}
