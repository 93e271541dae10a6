import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules 50 to 57: conditions on types mapped to embedded objects.
///
/// Each condition is asked by mapped value and in text, and compared with what Swift finds among the
/// same objects.
@Suite struct MemberwiseRuleTests {
  let folder: TemporaryStore
  let store: Store
  private let near = Coordinate(latitude: 1, longitude: 2)
  /// As far north as `near`, and elsewhere.
  private let level = Coordinate(latitude: 1, longitude: 5)
  private let far = Coordinate(latitude: 50, longitude: 60)

  init() throws {
    folder = TemporaryStore([Site.self, Location.self])
    store = try folder.open()
    let places: [[Coordinate]] = [[near], [level, near], [far, level], [], [near, far]]
    try store.write {
      var last: Site?
      for (id, places) in places.enumerated() {
        let site = store.create(
          Site.self,
          value: [
            "id": id, "required": places.first ?? NSNull(), "optional": places.last ?? NSNull(),
            "list": places,
            "map": Dictionary(places.enumerated().map { ("\($0)", $1) }) { $1 },
          ])
        site.next = last
        if let last {
          site.others.append(last)
          site.friends.insert(last)
          site.named["last"] = .some(last)
        }
        last = site
      }
    }
  }

  private var sites: Results<Site> { store.objects(Site.self) }

  private func ids(_ isIncluded: (Query<Site>) -> Query<Bool>) -> [Int] {
    sites.where(isIncluded).map(\.id).sorted()
  }

  private func ids(_ predicate: String, _ argument: Any) -> [Int] {
    sites.filter(predicate, argument).map(\.id).sorted()
  }

  @Test func `rule 50: a mapped value is compared member by member`() {
    #expect(ids { $0.required == near } == [0, 4])
    #expect(ids { $0.optional == near } == [0, 1])
    #expect(ids("required == %@", near) == [0, 4])
    #expect(ids { $0.required == Coordinate(latitude: 1, longitude: 60) }.isEmpty)
  }

  @Test func `rule 50: the members are a group under OR and NOT`() {
    #expect(ids { !($0.required == near) } == [1, 2, 3])
    #expect(ids { $0.required == far || $0.required == level } == [1, 2])
    #expect(ids { !($0.required == near || $0.required == far) && $0.id > 0 } == [1, 3])
    #expect(ids { ($0.required == near) == false } == [1, 2, 3])
    #expect(ids("NOT (required == %@) AND id > 0", near) == [1, 2, 3])
  }

  @Test func `rule 51: a null link matches != and not ==`() {
    #expect(ids { $0.required != near } == [1, 2, 3])
    #expect(ids { $0.optional != near } == [2, 3, 4])
    #expect(ids("required != %@", near) == [1, 2, 3])
    #expect(ids { $0.required == Coordinate(latitude: 0, longitude: 0) }.isEmpty)
    #expect(ids { $0.optional == nil } == [3])
  }

  @Test func `rule 51: nothing in its place is not a value whose members are all nil`() throws {
    let folder = TemporaryStore([RemarkBearer.self, RemarkEmbedded.self])
    let store = try folder.open()
    try store.write {
      store.create(RemarkBearer.self, value: ["id": 1, "remark": Remark()])
      store.create(RemarkBearer.self, value: ["id": 2, "remark": NSNull()])
    }
    let all = store.objects(RemarkBearer.self)
    #expect(all.where { $0.remark == Remark() }.map(\.id) == [1])
    #expect(all.where { $0.remark != Remark() }.map(\.id) == [2])
    #expect(all.filter("remark == %@", Remark()).map(\.id) == [1])
  }

  @Test func `rule 52: one element must match all members`() {
    let mixed = Coordinate(latitude: 1, longitude: 60)
    #expect(ids { $0.list == near } == [0, 1, 4])
    #expect(ids { $0.list == mixed }.isEmpty)
    #expect(ids { $0.map == near } == [0, 1, 4])
    #expect(ids { $0.map == mixed }.isEmpty)
    #expect(ids { $0.map["1"] == near } == [1])
    #expect(ids("ANY list == %@", near) == [0, 1, 4])
    #expect(ids("ANY map == %@", mixed).isEmpty)
  }

  @Test func `rule 53: a collection differs if it has elements and none of them is equal`() {
    #expect(ids { $0.list != near } == [2])
    #expect(ids { $0.map != near } == [2])
    #expect(ids { $0.list != Coordinate(latitude: 1, longitude: 60) } == [0, 1, 2, 4])
  }

  @Test func `rule 54: a collection as a member stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([RouteBearer.self, RouteEmbedded.self])
      _ = try folder.open().objects(RouteBearer.self).where { $0.route == Route() }.count
    }
    #expect(
      said(
        result,
        "Unsupported property 'RouteEmbedded.stops' for memberwise equality query: equality on "
          + "collections is not implemented."))
  }

  @Test func `rule 54: a link as a member stops`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([TiedBearer.self, TiedEmbedded.self, Country.self])
      _ = try folder.open().objects(TiedBearer.self).where { $0.tied == Tied() }.count
    }
    #expect(
      said(
        result,
        "Unsupported property 'TiedEmbedded.country' for memberwise equality query: object links "
          + "are not implemented."))
  }

  @Test func `rule 55: a persisted embedded object is compared by identity`() {
    let unmanaged = near.persistableValue
    #expect(ids { $0.required.persistableValue == unmanaged }.isEmpty)
    #expect(ids { $0.required.persistableValue != unmanaged } == [0, 1, 2, 3, 4])
    #expect(ids { $0.optional.persistableValue == unmanaged }.isEmpty)
  }

  @Test func `rule 56: IN and contains are memberwise for each value`() {
    #expect(ids { $0.required.in([near, far]) } == [0, 2, 4])
    #expect(ids { $0.optional.in([nil, near]) } == [0, 1, 3])
    #expect(ids { $0.required.in([]) }.isEmpty)
    #expect(ids { $0.list.contains(level) } == [1, 2])
    #expect(ids { $0.list.containsAny(in: [level, far]) } == [1, 2, 4])
    #expect(ids { $0.map.contains(far) } == [2, 4])
    #expect(ids { $0.map.containsAny(in: [near, level]) } == [0, 1, 2, 4])
    #expect(ids("required IN %@", [near, far]) == [0, 2, 4])
  }

  @Test func `rule 57: it works through links, lists, sets and map values`() {
    #expect(ids { $0.next.required == near } == [1])
    #expect(ids { $0.others.required == near } == [1])
    #expect(ids { $0.friends.required == far } == [3])
    #expect(ids { $0.next.next.required == near } == [2])
    #expect(ids { $0.others.list == near } == [1, 2])
    #expect(ids("next.required == %@", near) == [1])
    #expect(ids("ANY friends.required == %@", far) == [3])
    #expect(ids("ANY others.optional == %@", near) == [1, 2])
    #expect(ids("ANY others.list == %@", near) == [1, 2])
    #expect(ids { $0.next.required != near } == [0, 2, 3, 4])
  }
}

final class Site: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var required: Coordinate
  @Persisted(.either) var optional: Coordinate?
  @Persisted(.either) var list: List<Coordinate>
  @Persisted(.either) var map: Map<String, Coordinate>
  @Persisted(.either) var next: Site?
  @Persisted(.either) var others: List<Site>
  @Persisted(.either) var friends: MutableSet<Site>
  @Persisted(.either) var named: Map<String, Site?>
}

final class RemarkEmbedded: EmbeddedObject {
  @Persisted(.either) var text: String?
}

/// Stored as an embedded object that may have nothing in it.
struct Remark: CustomPersistable {
  var text: String?
  init() {}
  init(persistedValue: RemarkEmbedded) { text = persistedValue.text }
  var persistableValue: RemarkEmbedded { RemarkEmbedded(value: ["text": text]) }
}

final class RemarkBearer: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var remark: Remark?
}

final class RouteEmbedded: EmbeddedObject {
  @Persisted(.either) var stops: List<Int>
}

struct Route: CustomPersistable {
  init() {}
  init(persistedValue: RouteEmbedded) {}
  var persistableValue: RouteEmbedded { RouteEmbedded() }
}

final class RouteBearer: Object {
  @Persisted(.either) var route: Route
}

final class TiedEmbedded: EmbeddedObject {
  @Persisted(.either) var country: Country?
}

struct Tied: CustomPersistable {
  init() {}
  init(persistedValue: TiedEmbedded) {}
  var persistableValue: TiedEmbedded { TiedEmbedded() }
}

final class TiedBearer: Object {
  @Persisted(.either) var tied: Tied
}
