import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules 49 to 57, on the rows of ``QueryFixture``: values stored as embedded objects.
@Suite struct MemberwiseTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  @Test func `rule 49: the text of a predicate names stored paths`() {
    #expect(
      rows.text { $0.best.spot.persistableValue.row == 2 } == "(best.spot.row == %@) | 2")
    #expect(rows.text { $0.wares.label == Label("x") } == "(ANY wares.label == %@) | x")
  }

  @Test func `rule 50: a mapped value is compared member by member, grouped`() {
    #expect(
      rows.text { $0.best.spot == Spot(row: 1, place: 2) || $0.id == 3 }
        == "(((best.spot.row == %@) AND (best.spot.place == %@)) OR (id == %@)) | 1, 2, 3")
    #expect(rows.wares { $0.spot == Spot(row: 1, place: 2) } == [2])
    #expect(rows.wares { $0.spot == Spot(row: 1, place: 2) || $0.id == 4 } == [2, 4])
    #expect(rows.wares { !($0.spot == Spot(row: 1, place: 2)) } == [1, 3, 4])
  }

  @Test func `rule 51: inequality negates the group, so that nothing in its place matches`() {
    #expect(rows.wares { $0.reserve == Spot(row: 9, place: 9) } == [1])
    #expect(rows.wares { $0.reserve != Spot(row: 9, place: 9) } == [2, 3, 4])
    #expect(rows.shelves { $0.best.reserve != Spot(row: 1, place: 2) } == [1, 2])
    #expect(rows.wares { $0.reserve == nil } == [2, 3])
    #expect(rows.wares { $0.reserve != nil } == [1, 4])
  }

  @Test func `rule 52: through a collection one element must match all members`() {
    #expect(rows.shelves { $0.wares.spot == Spot(row: 1, place: 2) } == [1])
    // Members 2 and 1 are there, but not in one element.
    #expect(rows.shelves { $0.wares.spot == Spot(row: 2, place: 2) } == [])
    #expect(
      rows.text { $0.wares.spot == Spot(row: 1, place: 2) }
        == "(SUBQUERY(wares, $x1, (($x1.spot.row == %@) AND ($x1.spot.place == %@))).@count > 0)"
        + " | 1, 2")
  }

  @Test func `rule 53: a collection differs if it has elements and none is equal`() {
    #expect(rows.shelves { $0.wares.spot != Spot(row: 1, place: 2) } == [2])
    #expect(rows.shelves { $0.wares.spot != Spot(row: 7, place: 7) } == [1, 2])
  }

  @Test func `rule 54: members that are collections or links stop with the text of the original`()
    async
  {
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore(HasRefused.types)
      _ = try folder.open().objects(HasRefused.self).where { $0.list == ListValue() }
    }
    #expect(
      said(
        list,
        "Unsupported property 'WithList.items' for memberwise equality query: "
          + "equality on collections is not implemented."))
    let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore(HasRefused.types)
      _ = try folder.open().objects(HasRefused.self).where { $0.link == LinkValue() }
    }
    #expect(
      said(
        link,
        "Unsupported property 'WithLink.ware' for memberwise equality query: "
          + "object links are not implemented."))
  }

  @Test func `rule 55: a persisted embedded object is another thing than the mapped value`() {
    let stored = StoredSpot(value: [1, 1])
    #expect(rows.wares { $0.spot.persistableValue == stored } == [])
    #expect(rows.wares { $0.spot.persistableValue != stored } == [1, 2, 3, 4])
    #expect(rows.wares { $0.rawSpot == stored } == [])
    #expect(rows.wares { $0.rawSpot != stored } == [1, 2, 3, 4])
    #expect(rows.wares { $0.spot == Spot(row: 1, place: 1) } == [1])
  }

  @Test func `rule 56: several mapped values are alternatives, each member by member`() {
    let spots = [Spot(row: 1, place: 2), Spot(row: 2, place: 2)]
    #expect(rows.wares { $0.spot.in(spots) } == [2, 4])
    #expect(rows.wares { !$0.spot.in(spots) } == [1, 3])
    #expect(rows.wares { $0.spot.in([]) } == [])
    #expect(rows.shelves { $0.wares.spot.in(spots) } == [1])
    #expect(rows.wares { $0.reserve.in([Spot(row: 9, place: 9), nil]) } == [1, 2, 3])
  }

  @Test func `rule 57: links and lists lead to mapped values too`() {
    #expect(rows.shelves { $0.best.spot == Spot(row: 1, place: 2) } == [1])
    #expect(rows.wares { $0.shelf.wares.spot == Spot(row: 2, place: 1) } == [3])
    #expect(
      rows.shelves.filter("ANY wares.spot == %@", Spot(row: 2, place: 1)).map(\.id) == [2])
  }
}

final class WithList: EmbeddedObject {
  @Persisted(.either) var items: List<Int>
}

final class WithLink: EmbeddedObject {
  @Persisted(.either) var ware: Ware?
}

struct ListValue: Hashable, CustomPersistable {
  typealias PersistedType = WithList
  init() {}
  init(persistedValue: WithList) {}
  var persistableValue: WithList { WithList() }
}

struct LinkValue: Hashable, CustomPersistable {
  typealias PersistedType = WithLink
  init() {}
  init(persistedValue: WithLink) {}
  var persistableValue: WithLink { WithLink() }
}

final class HasRefused: Object {
  static let types: [ObjectBase.Type] =
    [HasRefused.self, WithList.self, WithLink.self] + QueryFixture.types

  @Persisted(.either) var list: ListValue
  @Persisted(.either) var link: LinkValue
}
