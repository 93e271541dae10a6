import AtollStorage
import AtollVocabulary
import Testing

/// Random writes into every sort of collection and any-typed slot of one file.
struct CollectionWriter {
  var random: SeededGenerator

  mutating func write(_ store: TestStore) throws {
    store.clock.now.milliseconds += Int64.random(in: -20...40, using: &random)
    try store.file.beginWrite()
    for _ in 0..<Int.random(in: 1...4, using: &random) { try operate(store) }
    try store.file.commitWrite()
    try store.checkDigests()
  }

  private mutating func operate(_ store: TestStore) throws {
    let page = store["Page"].id
    guard let id = try store.file.find(page, key: .int(1)) else {
      _ = try store.file.create(page, key: .int(1), fields: try fields(store))
      return
    }
    let target = try someTarget(store)
    switch Int.random(in: 0..<30, using: &random) {
    case 0: try store.file.delete(page, id: id)
    case 1:
      if case .link(let target, let id) = target { try store.file.delete(target, id: id) }
    case 2...6:
      let (name, value) = try member(store, target)
      if Int.random(in: 0..<3, using: &random) == 0 {
        try store.remove(value, from: name)
      } else {
        try store.insert(value, into: name)
      }
    case 7...12: try editMap(store, target)
    case 13...15: try store.assign("any", value(store, target, depth: 3))
    case 16...24: try editNested(store, target)
    case 25...27: try editEmbedded(store, target)
    case 28: try store.file.setClear(page, id: id, set: store.path("friends"))
    case _: try store.assign("anys", .list([value(store, target, depth: 2), 1]))
    }
  }

  private mutating func fields(_ store: TestStore) throws -> [NewField] {
    let isAssigned = Bool.random(using: &random)
    return [
      NewField(
        store.property("Page", "any")[0], value(store, nil, depth: 2), isAssigned: isAssigned),
      NewField(store.property("Page", "tags")[0], .set([1, 2])),
      NewField(store.property("Page", "anys")[0], .list([.list([1]), 2])),
      NewField(store.property("Page", "dict")[0], .map([NewEntry(key: "a", value: 1)])),
    ]
  }

  private mutating func someTarget(_ store: TestStore) throws -> NewValue? {
    let key = "T\(Int.random(in: 1...3, using: &random))"
    let target = store["Target"].id
    if let id = try store.file.find(target, key: .string(key)) { return .link(target, id) }
    guard Bool.random(using: &random) else { return nil }
    return .link(target, try store.file.create(target, key: .string(key), fields: []))
  }

  private mutating func value(_ store: TestStore, _ target: NewValue?, depth: Int) -> NewValue {
    let choice = Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random)
    switch choice {
    case 0: return nil
    case 1, 2: return .scalar(.int(Int64.random(in: 0..<5, using: &random)))
    case 3: return "text"
    case 4: return .scalar(.double(-0.0))
    case 5: return target ?? 5
    case 6, 7:
      return .list(
        (0..<Int.random(in: 0...2, using: &random)).map { _ in
          value(store, target, depth: depth - 1)
        })
    case _:
      return .map([
        NewEntry(key: key(), value: value(store, target, depth: depth - 1)),
        NewEntry(key: key(), value: value(store, target, depth: depth - 1)),
      ])
    }
  }

  private mutating func key() -> String {
    ["a", "b", "c", ""].randomElement(using: &random) ?? "a"
  }

  private mutating func member(
    _ store: TestStore, _ target: NewValue?
  ) throws -> (String, NewValue) {
    let number = Int64.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return target.map { ("friends", $0) } ?? ("tags", 0)
    case 1: return ("anySet", value(store, target, depth: 0))
    case 2:
      let texts = ["1.0", "1.00", "2", "NaN"]
      return ("prices", .scalar(.decimal(try #require(Decimal128(texts[Int(number)])))))
    case _: return ("tags", .scalar(.int(number)))
    }
  }

  private mutating func editMap(_ store: TestStore, _ target: NewValue?) throws {
    let maps = ["dict", "people", "spots", "anyMap"]
    let name = maps.randomElement(using: &random) ?? "dict"
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      try store.file.mapClear(store["Page"].id, id: store.page, map: store.path(name))
    case 1, 2:
      try store.file.mapRemove(
        store["Page"].id, id: store.page, map: store.path(name), key: key())
    case _:
      let given: NewValue =
        switch name {
        case "people": target ?? nil
        case "spots": try spot(store, target)
        case "anyMap": value(store, target, depth: 2)
        case _: 7
        }
      try store.put(key(), given, into: name)
    }
  }

  private mutating func spot(_ store: TestStore, _ target: NewValue?) throws -> NewValue {
    var fields: [String: NewValue] = ["v": 1, "any": value(store, target, depth: 2)]
    if Bool.random(using: &random) { fields["flags"] = .set([1, 2]) }
    if Bool.random(using: &random) { fields["names"] = .map([NewEntry(key: "k", value: "n")]) }
    if let target { fields["link"] = target }
    return store.spot(fields)
  }

  /// Walks down from a slot that may hold a list or map as far as chance wants, and edits there.
  private mutating func editNested(_ store: TestStore, _ target: NewValue?) throws {
    var path =
      [
        store.path("any", nested: []), store.path("anys"), store.path("anyMap"),
      ].randomElement(using: &random) ?? store.path("anys")
    var isMap = path.property.collection == .map
    if path.nested != nil {
      let column = store["Page"].column([path.property]) ?? 0
      let row = try store.file.row(of: store["Page"].id, id: store.page)
      guard case .collection(let kind)? = row?.others[column] else { return }
      isMap = kind == .map
    }
    for _ in 0..<3 {
      let held =
        isMap
        ? try store.file.entries(of: store["Page"].id, id: store.page, map: path).map(\.element)
        : try store.elements(path)
      let inner = held.compactMap { element -> (ElementID, CollectionKind)? in
        if case .collection(let kind) = element.value { (element.id, kind) } else { nil }
      }
      guard let chosen = inner.randomElement(using: &random), Bool.random(using: &random) else {
        break
      }
      path.nested = (path.nested ?? []) + [chosen.0]
      isMap = chosen.1 == .map
    }
    try isMap ? editEntries(store, path, target) : editElements(store, path, target)
  }

  private mutating func editEntries(
    _ store: TestStore, _ path: FieldPath, _ target: NewValue?
  ) throws {
    if Int.random(in: 0..<4, using: &random) == 0 {
      try store.file.mapRemove(store["Page"].id, id: store.page, map: path, key: key())
    } else {
      try store.file.mapAssign(
        store["Page"].id, id: store.page, map: path, key: key(),
        value(store, target, depth: 2))
    }
  }

  private mutating func editElements(
    _ store: TestStore, _ path: FieldPath, _ target: NewValue?
  ) throws {
    let (file, page, id) = (store.file, store["Page"].id, try store.page)
    let count = try store.elements(path).count
    let index = Int.random(in: 0..<max(count, 1), using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where count > 0: try file.listRemove(page, id: id, list: path, at: index)
    case 1 where count > 1: try file.listMove(page, id: id, list: path, from: index, to: 0)
    case 2 where count > 0:
      try file.listAssign(
        page, id: id, list: path, at: index, value(store, target, depth: 1))
    case 3 where count > 6: try file.listClear(page, id: id, list: path)
    case _:
      try file.listInsert(
        page, id: id, list: path, at: min(index, count), value(store, target, depth: 2))
    }
  }

  private mutating func editEmbedded(_ store: TestStore, _ target: NewValue?) throws {
    let (file, page, id) = (store.file, store["Page"].id, try store.page)
    guard let entry = try store.entries("spots").randomElement(using: &random),
      case .embedded = entry.element.value
    else {
      try store.put(key(), try spot(store, target), into: "spots")
      return
    }
    func inside(_ name: String) -> FieldPath { store.path(in: "spots", entry.element.id, name) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try file.assign(page, id: id, inside("v"), 9)
    case 1: try file.setInsert(page, id: id, set: inside("flags"), 3)
    case 2: try file.mapAssign(page, id: id, map: inside("names"), key: key(), "x")
    case 3: try store.append("m", to: inside("marks"))
    case _: try file.assign(page, id: id, inside("any"), value(store, target, depth: 2))
    }
  }
}

@Suite struct `random writes into collections` {
  @Test(arguments: (1...24).map { UInt64($0) })
  func `three files that heard of the same writes are equal`(seed: UInt64) throws {
    let stores = try ["a", "b", "c"].map { try TestStore($0, model: CollectionModel.all) }
    var writer = CollectionWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<30 {
      let index = Int.random(in: 0..<3, using: &writer.random)
      try writer.write(stores[index])
      if Int.random(in: 0..<3, using: &writer.random) == 0 {
        let other = (index + Int.random(in: 1...2, using: &writer.random)) % 3
        try stores[index].send(to: stores[other])
      }
    }
    for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2)] {
      try stores[from].send(to: stores[to])
    }
    let text = try stores[0].exported()
    let digest = try stores[0].file.digest()
    for store in stores.dropFirst() {
      #expect(try store.exported() == text, "seed \(seed)")
      #expect(try store.file.digest() == digest, "seed \(seed)")
    }
    #expect(try stores[1].file.verify() == [], "seed \(seed)")
    // A file that heard of everything at once, and knows nothing of the model.
    let late = try TestStore("late", model: [])
    try stores[2].send(to: late)
    #expect(try late.file.digest() == digest, "seed \(seed)")
    let states = try (stores + [late]).map { try $0.file.stateDigest() }
    #expect(Set(states).count == 1, "seed \(seed)")
    #expect(try late.exported() == text, "seed \(seed)")
  }
}
