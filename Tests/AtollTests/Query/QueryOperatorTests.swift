import Atoll
import Foundation
import Testing

/// The type-safe queries of section 5 and rules 44 to 57, on the rows of ``QueryFixture``.
@Suite struct QueryOperatorTests {
  let rows: QueryFixture

  init() throws { rows = try QueryFixture() }

  @Test func `rule 44: operands of mapped properties are mapped, order goes by what is stored`() {
    #expect(rows.wares { $0.label == Label("red") } == [1])
    #expect(rows.wares { $0.label != Label("red") } == [2, 3, 4])
    #expect(rows.wares { $0.label.in([Label("red"), Label("blue")]) } == [1, 3])
    #expect(rows.wares { $0.price < Price(100) } == [4])
    #expect(rows.wares { $0.price >= Price(100) } == [1, 2, 3])
    #expect(rows.wares { $0.label < Label("a") } == [4])
    #expect(rows.wares { $0.label.contains(Label("re")) } == [1, 2])
    #expect(rows.wares { $0.label.starts(with: Label("RE"), options: .caseInsensitive) } == [1, 4])
    #expect(rows.wares { $0.label.like(Label("*e*")) } == [1, 2, 3, 4])
    #expect(rows.wares { $0.price.contains(Price(100)..<Price(250)) } == [1])
    #expect(rows.wares { $0.price.contains(Price(100)...Price(250)) } == [1, 2, 3])
    #expect(rows.shelves { $0.labels.contains(Label("green")) } == [1])
    #expect(rows.shelves { $0.prices.contains(Price(250)) } == [2])
    #expect(rows.shelves { $0.prices.contains(nil) } == [1])
  }

  @Test func `rule 45: persistableValue allows what no mapped value can be, in collections too`() {
    #expect(rows.wares { $0.price.persistableValue == 3 } == [4])
    #expect(rows.wares { $0.label.persistableValue.ends(with: "d") } == [1, 4])
    #expect(rows.wares { $0.spot.persistableValue.row == 2 } == [3, 4])
    #expect(rows.wares { $0.reserve.persistableValue.row == 1 } == [4])
    #expect(rows.shelves { $0.labels.persistableValue.contains("blue") } == [2])
    #expect(rows.shelves { $0.prices.persistableValue.max > 100 } == [2])
    #expect(rows.shelves { $0.best.price.persistableValue == 3 } == [3])
  }

  @Test func `rule 46: optional mapped properties compare with nil and with values`() {
    #expect(rows.wares { $0.nickname == nil } == [1, 2, 4])
    #expect(rows.wares { $0.nickname != nil } == [3])
    #expect(rows.wares { $0.nickname == Label("b") } == [3])
    #expect(rows.wares { $0.nickname.in([Label("b"), nil]) } == [1, 2, 3, 4])
    #expect(rows.wares { $0.nickname < Label("c") } == [3])
  }

  @Test func `rule 48: values that do not convert are compared and added up as stored`() {
    #expect(rows.wares { $0.price < Price(5) } == [4])
    #expect(rows.wares.sorted(by: \.price).first?.id == 4)
    let sum: Int = rows.wares.sum(ofProperty: "price")
    #expect(sum == 603)
  }

  @Test func `nil is equal to nil only, and has no order`() {
    #expect(rows.wares { $0.rating == nil } == [2])
    #expect(rows.wares { $0.rating != 5 } == [2, 3, 4])
    #expect(rows.wares { $0.rating < 100 } == [1, 3, 4])
    #expect(rows.wares { !($0.rating < 5) } == [1, 2])
    #expect(rows.wares { $0.rating.in([3, nil]) } == [2, 3])
    #expect(rows.wares { !$0.rating.in([3, nil]) } == [1, 4])
    #expect(rows.wares { $0.rating.contains(3...4) } == [3, 4])
  }

  @Test func `NaN equals nothing, minus zero is zero, and a Float compares as a Float`() {
    #expect(rows.wares { $0.weight == .nan } == [])
    #expect(rows.wares { $0.weight != .nan } == [1, 2, 3, 4])
    #expect(rows.wares { $0.weight > -1 } == [1, 2, 4])
    #expect(rows.wares { $0.weight == 0 } == [2])
    #expect(rows.wares { $0.ratio == 0.1 } == [1])
    #expect(rows.wares { $0.weight == $0.weight } == [1, 2, 4])
  }

  @Test func `properties compare with properties of their type`() {
    #expect(rows.wares { $0.id < $0.amount } == [1, 2, 3, 4])
    #expect(rows.wares { $0.amount == $0.id } == [])
    #expect(rows.wares { $0.name.contains($0.name) } == [1, 2, 3, 4])
    #expect(rows.shelves { $0.best.id == $0.id } == [])
    #expect(rows.shelves { $0.wares.id == $0.id } == [1])
    #expect(rows.shelves { $0.id == $0.wares.id } == [1])
  }

  @Test func `text is searched with and without case and diacritics, by Unicode`() {
    #expect(rows.wares { $0.name.contains("pf") } == [1, 2])
    #expect(rows.wares { $0.name.starts(with: "ä", options: .caseInsensitive) } == [1])
    #expect(rows.wares { $0.name.starts(with: "a", options: .diacriticInsensitive) } == [2])
    let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
    #expect(rows.wares { $0.name.starts(with: "A", options: both) } == [1, 2])
    #expect(rows.wares { $0.name.ends(with: "SSE", options: .caseInsensitive) } == [3])
    #expect(rows.wares { $0.name.equals("STRASSE", options: .caseInsensitive) } == [3])
    #expect(rows.wares { $0.name.notEquals("APFEL", options: both) } == [3, 4])
    #expect(rows.wares { $0.note.equals("SWEET", options: .caseInsensitive) } == [1, 3])
    #expect(rows.wares { $0.note.equals(nil) } == [2])
  }

  @Test func `a nil or empty text is in none, begins none and ends none`() {
    #expect(rows.wares { $0.note.contains("") } == [])
    #expect(rows.wares { $0.note.starts(with: "") } == [])
    #expect(rows.wares { $0.note.ends(with: nil) } == [])
    #expect(rows.wares { !$0.note.contains("") } == [1, 2, 3, 4])
    #expect(rows.wares { $0.note.contains($0.note) } == [1, 3])
  }

  @Test func `like knows wildcards and escapes`() throws {
    #expect(rows.wares { $0.name.like("?pfel") } == [1, 2])
    #expect(rows.wares { $0.name.like("*o") } == [4])
    #expect(rows.wares { $0.name.like("ST*", caseInsensitive: true) } == [3])
    #expect(rows.wares { $0.name.like("") } == [])
    try rows.store.write { rows.ware(4)?.name = "a*c" }
    #expect(rows.wares { $0.name.like("a\\*c") } == [4])
    #expect(rows.wares { $0.name.like("a\\?c") } == [])
  }

  @Test func `data, dates, booleans and UUIDs compare by what they are`() {
    #expect(rows.wares { $0.code.starts(with: Data([2, 0])) } == [3])
    #expect(rows.wares { $0.code.contains(Data([0, 255])) } == [1, 2, 3, 4])
    #expect(rows.wares { $0.code < Data([1]) } == [1])
    #expect(rows.wares { $0.made > Date(timeIntervalSinceReferenceDate: 1.5) } == [3, 4])
    #expect(rows.wares { $0.isNew } == [1, 3])
    #expect(rows.wares { !$0.isNew && $0.id > 2 } == [4])
    let token = UUID(uuidString: "BBBBBBBB-0000-0000-0000-000000000000") ?? UUID()
    #expect(rows.wares { $0.token == token } == [2])
  }

  @Test func `objects are equal by row; one of no store equals nothing`() {
    #expect(rows.shelves { $0.best == rows.ware(2) } == [1])
    #expect(rows.shelves { $0.best != rows.ware(2) } == [2, 3])
    #expect(rows.shelves { $0.best == Ware(value: [2]) } == [])
    #expect(rows.shelves { $0.best != Ware(value: [2]) } == [1, 2, 3])
    #expect(rows.shelves { $0.best.in([rows.ware(2), nil]) } == [1, 2])
    #expect(rows.wares { $0 == rows.ware(3) ?? Ware() } == [3])
    if let ware = rows.ware(3) { #expect(rows.shelves { $0.wares.contains(ware) } == [2]) }
  }

  @Test func `links and embedded objects are gone through; nothing is behind what is not there`() {
    #expect(rows.shelves { $0.best.name == "zoo" } == [3])
    #expect(rows.shelves { $0.best.shelf.title == "top" } == [1])
    #expect(rows.wares { $0.rawSpot.row == 1 } == [1])
    #expect(rows.wares { $0.shelf.best.spot == Spot(row: 1, place: 2) } == [1, 2])
  }
}
