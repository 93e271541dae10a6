import Atoll
import Foundation
import StoreTestKit

// A shop's shelves and what stands on them: a property of every kind that queries know.

struct Spot: Hashable {
  var row: Int
  var place: Int
}

final class StoredSpot: EmbeddedObject {
  @Persisted(.either) var row: Int
  @Persisted(.either) var place: Int
}

extension Spot: CustomPersistable {
  typealias PersistedType = StoredSpot

  init(persistedValue: StoredSpot) {
    self.init(row: persistedValue.row, place: persistedValue.place)
  }

  var persistableValue: StoredSpot { StoredSpot(value: [row, place]) }
}

/// A text of the application's own.
struct Label: Hashable, Comparable, CustomPersistable {
  typealias PersistedType = String
  var text: String
  init(_ text: String) { self.text = text }
  init(persistedValue: String) { text = persistedValue }
  var persistableValue: String { text }
  static func < (a: Label, b: Label) -> Bool { a.text < b.text }
}

/// Cents, of which only whole amounts of five are prices; others do not convert.
struct Price: Hashable, Comparable, FailableCustomPersistable {
  typealias PersistedType = Int
  var cents: Int
  init(_ cents: Int) { self.cents = cents }
  init?(persistedValue: Int) {
    guard persistedValue % 5 == 0 else { return nil }
    cents = persistedValue
  }
  var persistableValue: Int { cents }
  static func < (a: Price, b: Price) -> Bool { a.cents < b.cents }
}

final class Ware: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(indexed: .either) var name: String
  @Persisted(.either) var note: String?
  @Persisted(.either) var amount: Int
  @Persisted(.either) var rating: Int?
  @Persisted(.either) var weight: Double
  @Persisted(.either) var ratio: Float
  @Persisted(.either) var isNew: Bool
  @Persisted(.either) var made: Date
  @Persisted(.either) var code: Data
  @Persisted(.either) var token: UUID
  @Persisted(.either) var label: Label
  @Persisted(.either) var nickname: Label?
  @Persisted(.either) var price: Price
  @Persisted(.either) var spot: Spot
  @Persisted(.either) var reserve: Spot?
  @Persisted(.either) var rawSpot: StoredSpot?
  @Persisted(.either) var shelf: Shelf?
  @Persisted(originProperty: "wares") var shelves: LinkingObjects<Shelf>
  @Persisted(originProperty: "best") var bestOf: LinkingObjects<Shelf>
}

final class Shelf: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var title: String
  @Persisted(.either) var best: Ware?
  @Persisted(.either) var wares: List<Ware>
  @Persisted(.either) var numbers: List<Int>
  @Persisted(.either) var words: List<String>
  @Persisted(.either) var gaps: List<Int?>
  @Persisted(.either) var labels: List<Label>
  @Persisted(.either) var prices: List<Price?>
}

/// The rows that most tests of queries ask.
///
/// | ware | name | note | amount | rating | weight | new | label | price | spot | reserve | shelf |
/// |---|---|---|---|---|---|---|---|---|---|---|---|
/// | 1 | Äpfel | sweet | 10 | 5 | 1.5 | yes | red | 100 | 1, 1 | 9, 9 | 1 |
/// | 2 | apfel | nil | 20 | nil | −0.0 | no | green | 250 | 1, 2 | nil | 1 |
/// | 3 | Straße | Sweet | 30 | 3 | NaN | yes | blue | 250 | 2, 1 | nil | 2 |
/// | 4 | zoo | "" | 40 | 4 | 7 | no | Red | 3 (no price) | 2, 2 | 1, 2 | nil |
///
/// | shelf | title | best | wares | numbers | words | gaps | labels | prices |
/// |---|---|---|---|---|---|---|---|---|
/// | 1 | top | 2 | 1, 2 | 1, 5, 9 | one, Two | 1, nil | red, green | 100, nil |
/// | 2 | low | nil | 3 | 5 | three | nil | blue | 250 |
/// | 3 | empty | 4 | – | – | – | – | – | – |
struct QueryFixture {
  static let types: [ObjectBase.Type] = [Ware.self, Shelf.self, StoredSpot.self]

  let folder: TemporaryStore
  let store: Store
  var wares: Results<Ware> { store.objects(Ware.self) }
  var shelves: Results<Shelf> { store.objects(Shelf.self) }

  init() throws {
    folder = TemporaryStore(Self.types)
    store = try folder.open()
    let tokens = ["AAAAAAAA", "BBBBBBBB", "CCCCCCCC", "DDDDDDDD"]
    try store.write {
      for (id, title) in [(1, "top"), (2, "low"), (3, "empty")] {
        store.create(Shelf.self, value: ["id": id, "title": title])
      }
      let rows: [[String: Any]] = [
        [
          "name": "Äpfel", "note": "sweet", "rating": 5, "weight": 1.5, "ratio": Float(0.1),
          "isNew": true, "label": "red", "price": 100, "spot": [1, 1], "reserve": [9, 9],
          "rawSpot": [1, 1], "shelf": shelf(1) as Any,
        ],
        [
          "name": "apfel", "weight": -0.0, "ratio": Float(0.2), "label": "green", "price": 250,
          "spot": [1, 2], "shelf": shelf(1) as Any,
        ],
        [
          "name": "Straße", "note": "Sweet", "rating": 3, "weight": Double.nan, "isNew": true,
          "label": "blue", "nickname": "b", "price": 250, "spot": [2, 1], "shelf": shelf(2) as Any,
        ],
        [
          "name": "zoo", "note": "", "rating": 4, "weight": 7.0, "label": "Red", "price": 3,
          "spot": [2, 2], "reserve": [1, 2],
        ],
      ]
      for (index, row) in rows.enumerated() {
        var row = row
        row["id"] = index + 1
        row["amount"] = (index + 1) * 10
        row["made"] = Date(timeIntervalSinceReferenceDate: Double(index))
        row["code"] = Data([UInt8(index), 0, 255])
        row["token"] = UUID(uuidString: tokens[index] + "-0000-0000-0000-000000000000")
        store.create(Ware.self, value: row)
      }
      fill(
        1, best: 2, wares: [1, 2], [1, 5, 9], ["one", "Two"], [1, nil], ["red", "green"],
        [100, nil])
      fill(2, best: nil, wares: [3], [5], ["three"], [nil], ["blue"], [250])
      fill(3, best: 4, wares: [], [], [], [], [], [])
    }
  }

  func ware(_ id: Int?) -> Ware? {
    id.flatMap { store.object(ofType: Ware.self, forPrimaryKey: $0) }
  }
  func shelf(_ id: Int) -> Shelf? { store.object(ofType: Shelf.self, forPrimaryKey: id) }

  private func fill(
    _ id: Int, best: Int?, wares: [Int], _ numbers: [Int], _ words: [String], _ gaps: [Int?],
    _ labels: [String], _ prices: [Int?]
  ) {
    guard let shelf = shelf(id) else { return }
    shelf.best = ware(best)
    shelf.wares.append(contentsOf: wares.compactMap { ware($0) })
    shelf.numbers.append(contentsOf: numbers)
    shelf.words.append(contentsOf: words)
    shelf.gaps.append(contentsOf: gaps)
    shelf.labels.append(contentsOf: labels.map { Label($0) })
    shelf.prices.append(contentsOf: prices.map { $0.map { Price($0) } })
  }

  func wares(_ condition: (Query<Ware>) -> Query<Bool>) -> [Int] {
    wares.where(condition).map(\.id)
  }

  func shelves(_ condition: (Query<Shelf>) -> Query<Bool>) -> [Int] {
    shelves.where(condition).map(\.id)
  }

  /// The text of a condition, and its arguments as text.
  func text(_ condition: (Query<Shelf>) -> Query<Bool>) -> String {
    var made = ("", [Any]())
    _ = shelves.where { query in
      let condition = condition(query)
      made = condition._constructPredicate()
      return condition
    }
    return made.1.isEmpty ? made.0 : made.0 + " | " + made.1.map { "\($0)" }.joined(separator: ", ")
  }
}
