import Atoll
import Foundation
import Testing

/// `init(value:)`: unmanaged objects from dictionaries, arrays, objects and encodable values.
@Suite struct ValueTests {
  @Test func `rule 26: nested dictionaries and arrays make linked and embedded objects`() {
    let owner = GraphOwner(value: [
      "id": 1, "street": ["name": "Main", "number": 4], "dog": ["Rex", 3],
      "dogs": [["name": "Rex"], ["Fido", 2]], "numbers": [1, 2, 3],
    ])
    #expect(owner.street?.name == "Main" && owner.street?.number == 4)
    #expect(owner.dog?.name == "Rex" && owner.dog?.age == 3)
    #expect(owner.dogs.map(\.name) == ["Rex", "Fido"])
    #expect(owner.dogs.map(\.age) == [1, 2])
    #expect(Array(owner.numbers) == [1, 2, 3])
    #expect(owner.dog?.store == nil)
  }

  @Test func `rule 26: an array gives values in schema order, fewer are accepted`() {
    let owner = GraphOwner(value: [7, "Ann", NSNull(), "https://a.example", [1, 2]] as [Any])
    #expect(owner.id == 7 && owner.name == "Ann" && owner.nick == nil)
    #expect(owner.site == URL(string: "https://a.example"))
    #expect(owner.place == Coordinate(latitude: 1, longitude: 2))
    #expect(owner.dog == nil)
  }

  @Test func `rule 26: collections take mapped and persisted values side by side`() {
    let page = GraphPage(value: [
      "links": ["https://a.example", URL(string: "https://b.example") as Any] as [Any]
    ])
    #expect(page.links.map(\.absoluteString) == ["https://a.example", "https://b.example"])
  }

  @Test func `rule 27: an embedded mapping takes the object, a dictionary, an array and itself`() {
    for raw: Any in [
      Location(value: [1, 2]), ["latitude": 1, "longitude": 2], [1.0, 2.0],
      Coordinate(latitude: 1, longitude: 2),
    ] {
      let owner = GraphOwner(value: ["place": raw])
      #expect(owner.place == Coordinate(latitude: 1, longitude: 2), "from \(raw)")
    }
  }

  @Test func `rule 28: a copy shares linked objects, and nothing else`() {
    let source = GraphOwner(value: [
      "id": 1, "street": ["Main", 4], "dog": ["Rex"], "numbers": [1], "dogs": [["Fido"]],
    ])
    let copy = GraphOwner(value: source)
    #expect(copy.dog === source.dog)
    #expect(copy.dogs.first === source.dogs.first)
    #expect(copy.street !== source.street && copy.street?.name == "Main")
    source.numbers.append(2)
    source.street?.number = 9
    #expect(copy.numbers.count == 1 && copy.street?.number == 4)
  }

  @Test func `rule 28: an object of another class gives the properties it has in common`() {
    let note = GraphNote(value: ["text": "from a note"])
    #expect(ValueTitle(value: note).text == "from a note")
    #expect(ValueTitle(value: note).size == 4)
  }

  @Test func `an encodable value gives its properties by name`() {
    let owner = GraphOwner(
      value: GraphPlan(
        id: 5, nick: nil, place: [1, 2], street: .init(name: "Main", number: 1),
        dogs: [.init(name: "Rex")], site: TrapFixtures.url))
    #expect(owner.id == 5 && owner.name == "nobody")
    #expect(owner.place == Coordinate(latitude: 1, longitude: 2))
    #expect(owner.street?.name == "Main")
    #expect(owner.dogs.first?.name == "Rex")
    #expect(owner.site == TrapFixtures.url)
  }

  @Test
  func `rule 29: null gives nil where that is possible, and the default of an embedded mapping`() {
    let owner = GraphOwner(value: [
      "nick": NSNull(), "site": NSNull(), "dog": NSNull(), "street": NSNull(), "place": NSNull(),
    ])
    #expect(owner.nick == nil && owner.site == nil && owner.dog == nil && owner.street == nil)
    #expect(owner.place == Coordinate(latitude: 0, longitude: 0))
  }

  @Test func `rule 29: null for a required scalar mapping is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = GraphPage(value: ["id": 3, "count": NSNull()])
    }
    #expect(said(result, "to type 'Wrapped'. Property 'GraphPage.count'"))
    #expect(said(result, "in the object GraphPage with id 3"))
    #expect(throws: Store.Error.self) { try GraphPage(checking: ["count": NSNull()]) }
    #expect(throws: Store.Error.self) { try GraphPage(checking: ["id": NSNull()]) }
  }

  @Test func `rule 29: null in a list of embedded mappings is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AllowedLists(value: ["line": [[1, 2], NSNull()] as [Any]])
    }
    #expect(said(result, "Property 'AllowedLists.line'"))
    let error = #expect(throws: Store.Error.self) {
      try AllowedLists(checking: ["line": [NSNull()]])
    }
    #expect(error?.code == .invalidValue)
  }

  @Test func `rule 30: a rejected value is refused, nil, or accepted, by the property's kind`()
    async throws
  {
    let error = #expect(throws: Store.Error.self) { try GraphPage(checking: ["link": ""]) }
    #expect(error?.message.contains("Could not convert value '' to type 'URL'.") == true)
    #expect(GraphOwner(value: ["site": ""]).site == nil)
    #expect(GraphPage(value: ["links": [""]]).links.count == 1)
  }

  @Test func `rule 30: a rejected value deep in a graph is refused with its own property`() {
    let error = #expect(throws: Store.Error.self) {
      try GraphPage(checking: ["id": 1, "inner": ["id": 2, "inner": ["id": 3, "link": ""]]])
    }
    #expect(error?.message.contains("'' to type 'URL'. Property 'GraphPage.link'") == true)
    #expect(error?.message.contains("GraphPage with id 3") == true)
  }

  @Test func `rule 31: NSNull and an empty optional are both null, alone and in arrays`() {
    let none: URL? = nil
    let lists = AllowedLists(value: ["maybe": [none as Any, NSNull(), "https://a.example"]])
    #expect(lists.maybe.map { $0 == nil } == [true, true, false])
    #expect(GraphOwner(value: ["site": none as Any]).site == nil)
    #expect(GraphOwner(value: ["site": Optional(none) as Any]).site == nil)
  }

  @Test func `rule 32: too many values are refused, and unknown names are ignored`() {
    let error = #expect(throws: Store.Error.self) { try GraphDog(checking: ["Rex", 1, nil, 4]) }
    #expect(error?.message.contains("it has 4 values, the class 3 properties") == true)
    #expect(GraphDog(value: ["name": "Rex", "colour": "brown"]).name == "Rex")
  }

  @Test func `what no object can be made of is refused with what can`() {
    let error = #expect(throws: Store.Error.self) { try GraphDog(checking: 5) }
    #expect(error?.message.contains("Making a 'GraphDog' from a value of type Int") == true)
  }

  @Test func `a list that was given stays the giver's`() {
    let numbers = List([1, 2])
    let owner = GraphOwner(value: ["numbers": numbers])
    numbers.append(3)
    #expect(Array(owner.numbers) == [1, 2])
  }
}

final class ValueTitle: Object {
  @Persisted(.either) var text: String
  @Persisted var size = 4
}
