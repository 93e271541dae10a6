import Atoll
import Foundation
import StoreTestKit
import Testing

/// NaN has no order: no range has it, and no aggregate counts it but the sum.
@Suite struct NotANumberTests {
  private let place: TemporaryStore
  private let all: Results<Wide>

  /// Doubles from 1 to 9, NaN at 10, and nothing at 11.
  init() throws {
    place = TemporaryStore(Wide.types)
    let store = try place.open()
    all = store.objects(Wide.self)
    try store.write {
      for id in 1...11 {
        let wide = store.create(Wide.self, value: ["id": id])
        wide.doubleOrNil = id == 11 ? nil : id == 10 ? .nan : Double(id)
      }
    }
  }

  @Test(arguments: [
    ("doubleOrNil > 7", [8, 9]), ("doubleOrNil >= 3 AND doubleOrNil < 5", [3, 4]),
    ("7 < doubleOrNil", [8, 9]), ("5 > doubleOrNil AND doubleOrNil > 2", [3, 4]),
    ("NOT (doubleOrNil > 2) AND doubleOrNil <= 5", [1, 2]),
    ("NOT (doubleOrNil > 2 AND doubleOrNil < 5) AND id > 8", [9, 10, 11]),
    ("(doubleOrNil > 8 OR id == 10) AND doubleOrNil < 20", [9]),
    ("doubleOrNil > 8 OR doubleOrNil < 2", [1, 9]),
  ])
  func `a range without an end stops before NaN`(text: String, ids: [Int]) throws {
    #expect(all.filter(text).map(\.id).sorted() == ids)
  }

  @Test func `a range with an end asks for NaN no more`() throws {
    let open = all.where { $0.doubleOrNil > 2 }.explain()
    let closed = all.where { $0.doubleOrNil > 2 && $0.doubleOrNil < 5 }.explain()
    #expect(open.contains("< x'00'"), "\(open)")
    #expect(!closed.contains("< x'00'"), "\(closed)")
  }

  @Test func `the least and the greatest are numbers`() throws {
    #expect(all.min(of: \.doubleOrNil) == 1 && all.max(of: \.doubleOrNil) == 9)
    #expect((all.sum(ofProperty: "doubleOrNil") as Double).isNaN)
  }
}
