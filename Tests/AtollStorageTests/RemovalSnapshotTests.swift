import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Snapshots of who has not heard of a removal, as `protocol/owners.md` has them.
@Suite struct RemovalSnapshotTests {
  private let founder: TestStore
  private let w: TestStore
  private let x: TestStore

  init() throws {
    let founder = try TestStore("founder", storeID: nil, isOwned: true)
    func writer(_ name: String) throws -> TestStore {
      let store = try TestStore(name, storeID: founder.file.storeID)
      try founder.file.admit(store.file.author.replica, as: .writer)
      return store
    }
    self.founder = founder
    (w, x) = (try writer("w"), try writer("x"))
    for store in [w, x] { try founder.send(to: store) }
  }

  @Test(arguments: [false, true])
  func
    `issue 32: a snapshot of an author that its removal has not seen is refused, until it counts for nothing there`(
      isKnownInPart: Bool
    ) throws
  {
    try w.create(1)
    if isKnownInPart { try w.send(to: founder) }
    try w.create(2)
    try w.send(to: x)
    try founder.file.remove(w.file.author.replica)
    try x.file.makeSnapshot()
    let offer = try #require(try x.file.snapshotOffer())
    _ = try founder.file.beginStaging(offer.id)
    _ = try founder.stage(from: x, offer.id, 0..<offer.pages)
    guard case .refused(let reason) = try founder.file.installSnapshot(offer.id) else {
      Issue.record("a snapshot was taken that counts what counts for nothing")
      return
    }
    #expect(reason.contains("count for nothing here"))
    // The giver has heard of it, and gives another one: both hold the same.
    try founder.send(to: x)
    try x.file.makeSnapshot()
    let next = try #require(try x.file.snapshotOffer())
    _ = try founder.file.beginStaging(next.id)
    _ = try founder.stage(from: x, next.id, 0..<next.pages)
    #expect(try founder.file.installSnapshot(next.id) == .installed)
    _ = try founder.fetchBackfill(from: x)
    #expect(try founder.exported() == x.exported())
    #expect(try founder.file.digest() == x.file.digest())
    #expect(try founder.exported().contains("\"key\":1") == isKnownInPart)
    for store in [founder, x] { #expect(try store.file.verify() == []) }
  }
}
