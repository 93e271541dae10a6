import Atoll
import Foundation
import StoreTestKit
import Testing

/// `create` and `add`: what becomes of values, graphs and defaults.
@Suite struct CreationTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore(GraphOwner.types + [GraphNote.self, GraphPage.self])
    store = try folder.open()
  }

  @Test func `rule 26: create makes a graph from nested dictionaries and arrays`() throws {
    try store.write {
      store.create(
        GraphOwner.self,
        value: [
          "id": 1, "street": ["Main", 4], "dog": ["name": "Rex"],
          "dogs": [["Fido", 2], ["name": "Bello"]], "place": ["latitude": 1],
          "partner": ["id": 2, "name": "Bob", "partner": ["id": 3]],
        ])
    }
    let owner = try #require(store.object(ofType: GraphOwner.self, forPrimaryKey: 1))
    #expect(owner.street?.name == "Main" && owner.dog?.name == "Rex")
    #expect(owner.dogs.map(\.name) == ["Fido", "Bello"])
    #expect(owner.place == Coordinate(latitude: 1, longitude: 0))
    #expect(owner.partner?.partner?.id == 3)
    #expect(owner.partner?.partner?.name == "nobody")
    #expect(store.objects(GraphOwner.self).count == 3)
  }

  @Test func `rule 27: create takes every raw form of an embedded mapping`() throws {
    try store.write {
      let raws: [Any] = [
        Location(value: [1, 2]), ["latitude": 1, "longitude": 2], [1.0, 2.0],
        Coordinate(latitude: 1, longitude: 2),
      ]
      for (id, raw) in raws.enumerated() {
        let owner = store.create(GraphOwner.self, value: ["id": id, "place": raw])
        #expect(owner.place == Coordinate(latitude: 1, longitude: 2), "from \(raw)")
      }
    }
  }

  @Test func `rule 28: create copies an object and what it leads to, cycles included`() throws {
    let ann = GraphOwner(value: ["id": 1, "name": "Ann", "place": [1, 2], "street": ["Main", 4]])
    let bob = GraphOwner(value: ["id": 2, "partner": ann, "dogs": [["Rex"]]])
    ann.partner = bob
    ann.friends.append(objectsIn: [bob, ann])
    try store.write {
      let copy = store.create(GraphOwner.self, value: ann)
      #expect(copy !== ann && ann.store == nil && bob.store == nil)
      #expect(copy.name == "Ann" && copy.place.longitude == 2 && copy.street?.number == 4)
      #expect(copy.partner?.id == 2 && copy.partner?.partner?.isSameObject(as: copy) == true)
      #expect(copy.friends.map(\.id) == [2, 1])
      #expect(copy.partner?.dogs.first?.name == "Rex")
    }
    #expect(store.objects(GraphOwner.self).count == 2)
  }

  @Test func `rule 28: create copies objects of another store`() throws {
    let other = TemporaryStore(GraphOwner.types + [GraphNote.self, GraphPage.self])
    let source = try other.open()
    try source.write {
      source.create(GraphOwner.self, value: ["id": 1, "dog": ["Rex"], "site": "https://a.example"])
    }
    let ann = try #require(source.objects(GraphOwner.self).first)
    try store.write {
      let copy = store.create(GraphOwner.self, value: ann)
      #expect(copy.store === store && copy.dog?.store === store && copy.dog?.name == "Rex")
      let second = store.create(GraphOwner.self, value: ["id": 2, "partner": copy])
      #expect(second.partner?.isSameObject(as: copy) == true)
    }
    #expect(ann.store === source)
  }

  @Test(arguments: [Store.UpdatePolicy.error, .modified, .all])
  func `rule 28: objects of another store that lead to each other are copied once`(
    _ policy: Store.UpdatePolicy
  ) throws {
    let other = TemporaryStore(GraphOwner.types + [GraphNote.self, GraphPage.self])
    let source = try other.open()
    let ann = try source.write {
      let ann = source.create(GraphOwner.self, value: ["id": 1, "dog": ["Rex"]])
      ann.partner = source.create(GraphOwner.self, value: ["id": 2, "partner": ann])
      ann.friends.append(objectsIn: [ann.partner, ann].compactMap { $0 })
      return ann
    }
    for original in [ann, ann.freeze()] {
      try store.write { store.deleteAll() }
      try store.write {
        let copy = store.create(GraphOwner.self, value: original, update: policy)
        #expect(copy.partner?.partner?.isSameObject(as: copy) == true)
      }
      let copy = try #require(store.object(ofType: GraphOwner.self, forPrimaryKey: 1))
      #expect(store.objects(GraphOwner.self).count == 2 && copy.store === store)
      #expect(copy.friends.map(\.id) == [2, 1] && copy.partner?.partner?.dog?.name == "Rex")
    }
  }

  @Test func `rule 28: create copies a stored value that does not convert as it is`() throws {
    try store.write { store.create(GraphPage.self, value: ["id": 1, "link": ""]) }
    let other = TemporaryStore([GraphPage.self])
    let target = try other.open()
    let page = try #require(store.objects(GraphPage.self).first)
    try target.write {
      #expect(target.create(GraphPage.self, value: page).$link.persistedValue == "")
    }
  }

  @Test func `rule 29: null is stored where the property can be nil, and refused where not`() throws
  {
    try store.write {
      let owner = store.create(
        GraphOwner.self, value: ["id": 1, "nick": NSNull(), "place": NSNull(), "dog": NSNull()])
      #expect(owner.nick == nil && owner.dog == nil)
      #expect(owner.$place.persistedValue == nil)
      #expect(owner.place == Coordinate(latitude: 0, longitude: 0))
      let error = #expect(throws: Store.Error.self) {
        try store.create(checking: GraphPage.self, value: ["id": 1, "count": NSNull()])
      }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("Property 'GraphPage.count'") == true)
      #expect(throws: Store.Error.self) {
        try store.create(checking: GraphPage.self, value: ["links": [NSNull()]])
      }
    }
    #expect(store.objects(GraphPage.self).isEmpty)
  }

  @Test func `rule 30: create stores what a failable mapping rejects, at every depth`() throws {
    try store.write {
      let page = store.create(
        GraphPage.self,
        value: ["id": 1, "link": "", "links": [""], "inner": ["id": 2, "link": ""]])
      #expect(page.$link.persistedValue == "" && !page.$link.isConvertible)
      #expect(page.inner?.$link.persistedValue == "")
      #expect(page.links.count == 1)
      let owner = store.create(GraphOwner.self, value: ["id": 1, "site": ""])
      #expect(owner.site == nil && owner.$site.persistedValue == "")
    }
  }

  @Test func `rule 32: missing keys take defaults, unknown ones are ignored`() throws {
    try store.write {
      let owner = store.create(GraphOwner.self, value: ["id": 1, "colour": "red"])
      #expect(owner.name == "nobody" && owner.numbers.isEmpty)
      let dog = store.create(GraphDog.self, value: ["Rex"])
      #expect(dog.age == 1)
      let error = #expect(throws: Store.Error.self) {
        try store.create(checking: GraphDog.self, value: ["Rex", 1, nil, 4] as [Any?])
      }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test func `an encodable value makes a graph`() throws {
    try store.write {
      let owner = store.create(
        GraphOwner.self,
        value: GraphPlan(
          id: 5, nick: "n", place: [1, 2], street: .init(name: "Main", number: 1),
          dogs: [.init(name: "Rex")], site: TrapFixtures.url))
      #expect(owner.dogs.first?.name == "Rex" && owner.site == TrapFixtures.url)
    }
  }

  @Test func `a value that fits nowhere is refused wherever it is in the graph`() throws {
    try store.write {
      let error = #expect(throws: Store.Error.self) {
        try store.create(
          checking: GraphOwner.self, value: ["id": 1, "dogs": [["name": "Rex", "age": "old"]]])
      }
      #expect(error?.message.contains("'old' to type 'Int'. Property 'GraphDog.age'") == true)
      #expect(error?.message.contains("GraphDog with name Rex") == true)
    }
    #expect(store.objects(GraphOwner.self).isEmpty)
  }

  @Test func `adding twice does nothing, and instances handed out stay the same`() throws {
    let owner = GraphOwner(value: ["id": 1, "street": ["Main", 1], "dogs": [["Rex"]]])
    let (street, dogs, dog) = (owner.street, owner.dogs, owner.dogs.first)
    try store.write {
      store.add(owner)
      store.add(owner)
      dogs.append(GraphDog(value: ["Fido"]))
      street?.number = 7
    }
    #expect(owner.dogs === dogs && owner.dogs.count == 2)
    #expect(owner.street?.number == 7)
    #expect(dog?.store === store && owner.dogs.first == dog)
  }

  @Test func `an object that was deleted, or that another store has, is refused`() throws {
    let other = TemporaryStore(GraphOwner.types + [GraphNote.self, GraphPage.self])
    let source = try other.open()
    let rex = try source.write { source.create(GraphDog.self, value: ["Rex"]) }
    try store.write {
      let error = #expect(throws: Store.Error.self) { try store.add(checking: rex) }
      #expect(error?.code == .invalidObject)
      #expect(error?.message.contains(folder.file.path) == true)
      #expect(error?.message.contains(other.file.path) == true)
      let owner = GraphOwner(value: ["id": 1])
      owner.dogs.append(rex)
      #expect(throws: Store.Error.self) { try store.add(checking: owner) }
      let gone = store.create(GraphDog.self, value: ["Gone"])
      store.delete(gone)
      #expect(throws: Store.Error.self) { try store.add(checking: gone) }
    }
  }

  @Test func `rule 13: a property without a default is refused by add and create`() async throws {
    let folder = TemporaryStore([NeedsDefault.self])
    let store = try folder.open()
    try store.write {
      for attempt in [
        { _ = try store.create(checking: NeedsDefault.self) },
        { try store.add(checking: NeedsDefault()) },
      ] {
        let error = #expect(throws: Store.Error.self) { try attempt() }
        #expect(error?.message.hasPrefix("Failed to default construct a URL using") == true)
        #expect(error?.message.contains("Property 'NeedsDefault.url'") == true)
      }
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore([NeedsDefault.self]).openToTheEnd()
      try store.write { store.add(NeedsDefault()) }
    }
    #expect(said(result, "Failed to default construct a URL using the default value for"))
  }

  @Test func `rule 14: with an explicit default all three operations work`() throws {
    let folder = TemporaryStore([HasDefault.self])
    let store = try folder.open()
    try store.write {
      store.add(HasDefault())
      store.create(HasDefault.self)
    }
    #expect(HasDefault().url == TrapFixtures.url)
    #expect(store.objects(HasDefault.self).map(\.url) == [TrapFixtures.url, TrapFixtures.url])
  }

  @Test func `a list of embedded mappings and objects is stored`() throws {
    let folder = TemporaryStore([AllowedLists.self, Location.self])
    let store = try folder.open()
    try store.write {
      store.create(
        AllowedLists.self, value: ["line": [[1, 2], Coordinate(latitude: 3, longitude: 4)]])
    }
    #expect(store.objects(AllowedLists.self).first?.line.count == 2)
  }
}
