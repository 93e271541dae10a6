import Atoll
import AtollVocabulary
import Foundation

/// The values of an object, as plain values.
struct PlainObject {
  var id: Int
  var ones: [String: Plain] = [:]
  var collections: [String: [Plain]] = [:]
  var maps: [String: [String: Plain]] = [:]
  var next: Int?
  var many: [Int] = []
  var others: [Int] = []
  var entries: [String: Int?] = [:]
  var hub: Int?
  var hubs: [Int] = []
  var inner: PlainInner?
  var inners: [PlainInner] = []
}

/// An object on the way from one to another, by the number in its key.
struct PlainHub {
  var wide: Int?
  var wides: [Int] = []
  var hasPort = false
  /// The target of the port's pier.
  var pier: Int?
}

struct PlainInner {
  var wide: Int?
  var deeper: Int?
}

/// All objects of a store, as plain values.
struct World {
  var objects: [PlainObject] = []
  var hubs: [PlainHub] = []

  subscript(_ id: Int) -> PlainObject? { objects.first { $0.id == id } }

  /// The objects that a way leads to from one; nil for a link to nothing.
  func objects(at way: Way, from object: PlainObject) -> [PlainObject?] {
    switch way {
    case .own: [object]
    case .next: [object.next.flatMap { self[$0] }]
    case .nextNext: [object.next.flatMap { self[$0] }.flatMap { $0.next }.flatMap { self[$0] }]
    case .many: object.many.map { self[$0] }
    case .others: object.others.map { self[$0] }
    case .entries: object.entries.values.map { $0.flatMap { self[$0] } }
    case .entry: [(object.entries["a"] ?? nil).flatMap { self[$0] }]
    case .back: objects.filter { $0.next == object.id }
    case .inMany:
      objects.flatMap { origin in origin.many.filter { $0 == object.id }.map { _ in origin } }
    case .nextMany:
      (object.next.flatMap { self[$0] }?.many ?? []).map { self[$0] }
    case .manyNext: object.many.map { self[$0].flatMap { $0.next }.flatMap { self[$0] } }
    case .manyMany: object.many.flatMap { (self[$0]?.many ?? []).map { self[$0] } }
    case .hub: [object.hub.flatMap { hubs[$0].wide }.flatMap { self[$0] }]
    case .hubWides: (object.hub.map { hubs[$0].wides } ?? []).map { self[$0] }
    case .hubs: object.hubs.map { hubs[$0].wide.flatMap { self[$0] } }
    case .pier: [object.hub.flatMap { hubs[$0].hasPort ? hubs[$0].pier : nil }.flatMap { self[$0] }]
    case .ofHubs:
      hubs.flatMap { hub in
        hub.wides.filter { $0 == object.id }.map { _ in hub.wide.flatMap { self[$0] } }
      }
    case .inner: [object.inner?.wide.flatMap { self[$0] }]
    case .inners: object.inners.map { $0.wide.flatMap { self[$0] } }
    case .deeper:
      [object.inner?.deeper.flatMap { hubs[$0].wide }.flatMap { self[$0] }]
    case .deepers:
      object.inners.map { $0.deeper.flatMap { hubs[$0].wide }.flatMap { self[$0] } }
    }
  }

  /// Returns the values of a property at the end of a way; one for each object there.
  func ones(_ name: String, _ way: Way, _ object: PlainObject) -> [Plain] {
    objects(at: way, from: object).map { found in
      name == "id" ? found.map { .int($0.id) } ?? .null : found?.ones[name] ?? .null
    }
  }

  /// The elements of a collection at the end of a way, those of all objects there.
  func elements(_ name: String, _ way: Way, _ object: PlainObject) -> [Plain] {
    objects(at: way, from: object).flatMap { found in
      found?.collections[name] ?? found?.maps[name].map { Array($0.values) } ?? []
    }
  }
}

/// Returns the text of a name that is a word of the language, too.
func escaped(_ name: String) -> String { name == "any" ? "#any" : name }

/// The way from the queried object to the one of a condition.
enum Way: CaseIterable {
  case own, next, nextNext, many, others, entries, entry, back, inMany, nextMany, manyNext, manyMany
  case hub, hubWides, hubs, pier, ofHubs, inner, inners, deeper, deepers

  var isMany: Bool {
    switch self {
    case .own, .next, .nextNext, .entry, .hub, .pier, .inner, .deeper: false
    case .many, .others, .entries, .back, .inMany, .nextMany, .manyNext, .manyMany, .hubWides,
      .hubs, .ofHubs, .inners, .deepers:
      true
    }
  }

  /// True if what follows is a property of the elements of one collection.
  var isOneCollection: Bool {
    switch self {
    case .many, .others, .back, .inMany, .nextMany, .entries, .hubWides: true
    case .own, .next, .nextNext, .entry, .manyNext, .manyMany, .hub, .hubs, .pier, .ofHubs, .inner,
      .inners, .deeper, .deepers:
      false
    }
  }

  var text: String {
    switch self {
    case .own: ""
    case .next: "next."
    case .nextNext: "next.next."
    case .many: "many."
    case .others: "others."
    case .entries: "entries."
    case .entry: "entries['a']."
    case .back: "back."
    case .inMany: "@links.Wide.many."
    case .nextMany: "next.many."
    case .manyNext: "many.next."
    case .manyMany: "many.many."
    case .hub: "hub.wide."
    case .hubWides: "hub.wides."
    case .hubs: "hubs.wide."
    case .pier: "hub.port.pier.wide."
    case .ofHubs: "ofHubs.wide."
    case .inner: "inner.wide."
    case .inners: "inners.wide."
    case .deeper: "inner.deeper.hub.wide."
    case .deepers: "inners.deeper.hub.wide."
    }
  }

  func query<V: _PropertyValue>(_ query: Query<Wide>, _ path: KeyPath<Wide, V>) -> Query<V> {
    switch self {
    case .own: query[dynamicMember: path]
    case .next: query.next[dynamicMember: path]
    case .nextNext: query.next.next[dynamicMember: path]
    case .many: query.many[dynamicMember: path]
    case .others: query.others[dynamicMember: path]
    case .entries: query.entries[dynamicMember: path]
    case .entry: query.entries["a"][dynamicMember: path]
    case .back: query.back[dynamicMember: path]
    case .inMany: query.inMany[dynamicMember: path]
    case .nextMany: query.next.many[dynamicMember: path]
    case .manyNext: query.many.next[dynamicMember: path]
    case .manyMany: query.many.many[dynamicMember: path]
    case .hub: query.hub.wide[dynamicMember: path]
    case .hubWides: query.hub.wides[dynamicMember: path]
    case .hubs: query.hubs.wide[dynamicMember: path]
    case .pier: query.hub.port.pier.wide[dynamicMember: path]
    case .ofHubs: query.ofHubs.wide[dynamicMember: path]
    case .inner: query.inner.wide[dynamicMember: path]
    case .inners: query.inners.wide[dynamicMember: path]
    case .deeper: query.inner.deeper.hub.wide[dynamicMember: path]
    case .deepers: query.inners.deeper.hub.wide[dynamicMember: path]
    }
  }
}

// MARK: - Into the file

extension Plain {
  /// The value as ``Store/create(_:value:update:)`` takes it.
  var any: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .int(let value): value
    case .float(let value): value
    case .double(let value): value
    case .decimal(let value): value
    case .string(let value): value
    case .data(let value): Data(value)
    case .date(let value): Date(timeIntervalSinceReferenceDate: value)
    case .uuid(let value): value
    case .objectId(let value): value
    case .spot(let value): value
    case .list(let values): values.map(\.any)
    case .map(let values): values.mapValues(\.any)
    }
  }
}

extension World {
  /// Replaces what the store has.
  func fill(_ store: Store) throws {
    try store.write {
      store.deleteAll()
      var made: [Int: Wide] = [:]
      for object in objects {
        var value = object.ones.mapValues(\.any)
        value["id"] = object.id
        for (name, elements) in object.collections { value[name] = elements.map(\.any) }
        for (name, entries) in object.maps { value[name] = entries.mapValues(\.any) }
        made[object.id] = store.create(Wide.self, value: value)
      }
      for object in objects {
        guard let wide = made[object.id] else { continue }
        wide.next = object.next.flatMap { made[$0] }
        wide.many.append(contentsOf: object.many.compactMap { made[$0] })
        for id in object.others { if let other = made[id] { wide.others.insert(other) } }
        for (key, id) in object.entries { wide.entries[key] = .some(id.flatMap { made[$0] }) }
      }
      let hubs = makeHubs(store, made)
      for object in objects {
        guard let wide = made[object.id] else { continue }
        wide.hub = object.hub.map { hubs[$0] }
        wide.hubs.append(contentsOf: object.hubs.map { hubs[$0] })
        wide.inner = object.inner.map { $0.made(made, hubs) }
        wide.inners.append(contentsOf: object.inners.map { $0.made(made, hubs) })
      }
    }
  }

  private func makeHubs(_ store: Store, _ made: [Int: Wide]) -> [Hub] {
    hubs.enumerated().map { number, plain in
      let hub = store.create(Hub.self, value: ["code": PlainHub.code(number) as Any])
      hub.wide = plain.wide.flatMap { made[$0] }
      hub.wides.append(contentsOf: plain.wides.compactMap { made[$0] })
      if plain.hasPort {
        hub.port = store.create(Port.self, value: ["token": PlainHub.token(number)])
        let pier = Pier()
        pier.wide = plain.pier.flatMap { made[$0] }
        hub.port?.pier = pier
      }
      return hub
    }
  }
}

extension PlainHub {
  /// The key of the hub with this number; that of the first is nil.
  static func code(_ number: Int) -> String? { number == 0 ? nil : "h\(number)" }

  static func token(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)") ?? UUID()
  }
}

extension PlainInner {
  fileprivate func made(_ wides: [Int: Wide], _ hubs: [Hub]) -> Inner {
    let inner = Inner()
    inner.wide = wide.flatMap { wides[$0] }
    if let deeper {
      inner.deeper = Deeper()
      inner.deeper?.hub = hubs[deeper]
    }
    return inner
  }
}
