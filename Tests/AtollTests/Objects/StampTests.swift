import Atoll
import Foundation
import StoreTestKit
import Testing

/// `$property.stamp`: when a property was last assigned, and by whom.
@Suite struct StampTests {
  let folder: TemporaryStore
  let store: Store
  let owner: GraphOwner

  init() throws {
    folder = TemporaryStore(GraphOwner.types)
    let store = try folder.open()
    self.store = store
    owner = try store.write {
      store.create(GraphOwner.self, value: ["id": 1, "nick": "A", "street": ["name": "Main"]])
    }
  }

  @Test func `an assignment has a stamp; defaults, keys and unmanaged objects have none`() throws {
    let stamp = try #require(owner.$nick.stamp)
    #expect(abs(stamp.time.timeIntervalSinceNow) < 60)
    #expect(owner.$name.stamp == nil && owner.$id.stamp == nil && owner.$dog.stamp == nil)
    #expect(GraphOwner(value: ["nick": "B"]).$nick.stamp == nil)
    try store.write { owner.name = "Ann" }
    let later = try #require(owner.$name.stamp)
    #expect(later.replica == stamp.replica && later.incarnation == stamp.incarnation)
    #expect(later.time >= stamp.time)
    #expect(owner.$nick.stamp == stamp)
  }

  @Test func `embedded properties and collections have stamps of their own`() throws {
    let before = try #require(owner.$street.stamp)
    try store.write {
      owner.street?.number = 5
      owner.numbers.append(1)
    }
    #expect(owner.$street.stamp == before)
    let inner = try #require(owner.street?.$number.stamp)
    #expect(inner.time >= before.time && inner.replica == before.replica)
    #expect(owner.$numbers.stamp?.replica == before.replica)
    #expect(owner.$friends.stamp == nil)
  }

  @Test func `what another replica assigned has its stamp`() throws {
    let other = TemporaryStore(GraphOwner.types)
    var configuration = other.configuration
    configuration.storeID = store.storeID
    let replica = try Store(configuration: configuration)
    try other.receive(from: folder)
    replica.refresh()
    let theirs = try #require(replica.object(ofType: GraphOwner.self, forPrimaryKey: 1))
    #expect(theirs.$nick.stamp == owner.$nick.stamp)
    try replica.write { theirs.nick = "B" }
    try folder.receive(from: other)
    store.refresh()
    #expect(owner.nick == "B")
    #expect(owner.$nick.stamp == theirs.$nick.stamp)
    #expect(owner.$nick.stamp?.replica != owner.$street.stamp?.replica)
  }
}
