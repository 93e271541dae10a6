import AtollStorage
import AtollVocabulary

// Sets, maps, and slots of any type with what they hold.
extension Workload {
  private static let keys = ["a", "b", "c", "été", ""]

  func changeSet(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let (name, value): (String, NewValue)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: (name, value) = ("prices", decimal(using: &random))
    case 1: (name, value) = ("friends", .link(target.id, try someTarget(file, using: &random)))
    case 2: (name, value) = ("anySet", anyScalar(using: &random))
    default: (name, value) = ("tags", .scalar(.int(Int64.random(in: 0...5, using: &random))))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<4: try file.setInsert(document.id, id: id, set: field(name), value)
    case 4..<7: try file.setRemove(document.id, id: id, set: field(name), value)
    default: try file.setClear(document.id, id: id, set: field(name))
    }
  }

  func changeMap(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let target = NewValue.link(target.id, try someTarget(file, using: &random))
      try changeEntry(file, id, field("guide"), target, using: &random)
    case 1:
      let entries = try file.entries(of: document.id, id: id, map: field("plan"))
      if let entry = entries.randomElement(using: &random), Bool.random(using: &random) {
        try changeInside(file, id, .element(property("plan"), entry.element.id), using: &random)
      } else {
        try changeEntry(file, id, field("plan"), newSpot(using: &random), using: &random)
      }
    default:
      let number = NewValue.scalar(.int(Int64.random(in: 0...9, using: &random)))
      try changeEntry(file, id, field("scores"), number, using: &random)
    }
  }

  private func changeEntry(
    _ file: StoreFile, _ id: RowID, _ map: FieldPath, _ value: NewValue,
    using random: inout SeededGenerator
  ) throws(StorageError) {
    let key = Self.keys.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<5: try file.mapAssign(document.id, id: id, map: map, key: key, value)
    case 5..<7: try file.mapRemove(document.id, id: id, map: map, key: key)
    default: try file.mapClear(document.id, id: id, map: map)
    }
  }

  // MARK: Any type

  func changeAny(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: try changeNested(file, id, field("anyList"), .list, using: &random)
    case 1: try changeNested(file, id, field("anyMap"), .map, using: &random)
    default: try changeSlotOfAnyType(file, id, using: &random)
    }
  }

  private func changeSlotOfAnyType(
    _ file: StoreFile, _ id: RowID, using random: inout SeededGenerator
  ) throws(StorageError) {
    let row = try file.row(of: document.id, id: id)
    let held = document.column([property("any")]).flatMap { row?.others[$0] }
    if case .collection(let kind) = held, Int.random(in: 0..<4, using: &random) > 0 {
      var path = field("any")
      path.nested = []
      return try changeNested(file, id, path, kind, using: &random)
    }
    let link = try NewValue.link(target.id, someTarget(file, using: &random))
    let value = Int.random(in: 0..<5, using: &random) == 0 ? link : anyValue(using: &random)
    try assign(file, id, "any", value)
  }

  /// Changes a collection of any type, or one that it holds, however deep.
  private func changeNested(
    _ file: StoreFile, _ id: RowID, _ path: FieldPath, _ kind: CollectionKind,
    using random: inout SeededGenerator
  ) throws(StorageError) {
    let elements =
      kind == .list
      ? try file.elements(of: document.id, id: id, list: path)
      : try file.entries(of: document.id, id: id, map: path).map(\.element)
    if let element = elements.randomElement(using: &random),
      case .collection(let inner) = element.value, Int.random(in: 0..<4, using: &random) > 0
    {
      var way = path
      way.nested = (path.nested ?? []) + [element.id]
      return try changeNested(file, id, way, inner, using: &random)
    }
    let value = anyValue(using: &random)
    if kind == .list {
      try changeList(file, id, path, value, using: &random)
    } else {
      try changeEntry(file, id, path, value, using: &random)
    }
  }

  /// A scalar, or a list or map that holds others of the kind, ever less likely as it gets deeper.
  func anyValue(depth: Int = 0, using random: inout SeededGenerator) -> NewValue {
    guard Int.random(in: 0..<4 + depth, using: &random) == 0, depth < 4 else {
      return anyScalar(using: &random)
    }
    let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      anyValue(depth: depth + 1, using: &random)
    }
    guard Bool.random(using: &random) else { return .list(values) }
    return .map(zip(Self.keys, values).map { NewEntry(key: $0, value: $1) })
  }

  /// Values that are equal as numbers and different as values among them.
  private func anyScalar(using random: inout SeededGenerator) -> NewValue {
    let number = Int64.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .scalar(.null)
    case 1: return .scalar(.bool(number > 1))
    case 2: return .scalar(.float(number == 0 ? -0.0 : Float(number)))
    case 3: return .scalar(.double(number == 3 ? .nan : Double(number)))
    case 4: return .scalar(.string("\(number)"))
    case 5: return .scalar(.data([UInt8(truncatingIfNeeded: number)]))
    case 6: return .scalar(.date(Double(number)))
    case 7: return .scalar(.uuid(UniqueBytes(high: 0, low: UInt64(number))))
    case 8: return decimal(using: &random)
    default: return .scalar(.int(number))
    }
  }

  /// One of few numbers, each with one to three trailing zeros; seldom infinity or NaN.
  func decimal(using random: inout SeededGenerator) -> NewValue {
    let texts = ["0", "-0", "1", "1.0", "1.00", "-2.5", "-2.50", "1E+3", "NaN", "Infinity"]
    return .scalar(.decimal(Decimal128(texts.randomElement(using: &random) ?? "0") ?? .zero))
  }
}
