import AtollStorage
import AtollVocabulary

// Lists, and embedded objects in slots and lists.
extension Workload {
  func changeItems(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let value = NewValue.scalar(.int(Int64.random(in: 100...999, using: &random)))
    try changeList(file, id, field("items"), value, using: &random)
  }

  func changeLinks(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let value = NewValue.link(target.id, try someTarget(file, using: &random))
    try changeList(file, id, field("links"), value, using: &random)
  }

  func changeList(
    _ file: StoreFile, _ id: RowID, _ list: FieldPath, _ value: NewValue,
    using random: inout SeededGenerator
  ) throws(StorageError) {
    let count = try file.elements(of: document.id, id: id, list: list).count
    let kind = count == 0 ? 0 : Int.random(in: 0..<10, using: &random)
    let place = Int.random(in: 0..<max(count, 1), using: &random)
    switch kind {
    case 0..<5:
      let index = Bool.random(using: &random) ? nil : min(place, count)
      _ = try file.listInsert(document.id, id: id, list: list, at: index, value)
    case 5: try file.listAssign(document.id, id: id, list: list, at: place, value)
    case 6, 7:
      let destination = Int.random(in: 0..<count, using: &random)
      try file.listMove(document.id, id: id, list: list, from: place, to: destination)
    case 8: try file.listRemove(document.id, id: id, list: list, at: place)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 {
        try file.listClear(document.id, id: id, list: list)
      }
    }
  }

  func changeSlot(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let row = try file.row(of: document.id, id: id)
    let column = document.column([property("one")])
    let isThere = column.flatMap { row?.columns[$0].isNull } == false
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try file.assign(document.id, id: id, field("one"), .scalar(.null))
    case 1...2 where isThere:
      let path = FieldPath(
        steps: [.slot(property("one"))], property: spotProperty("v"))
      let number = Int64.random(in: 0...9, using: &random)
      try file.assign(document.id, id: id, path, .scalar(.int(number)))
    default:
      try file.assign(document.id, id: id, field("one"), newSpot(using: &random))
    }
  }

  func changeSpots(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let id = try someDocument(file, using: &random)
    let elements = try file.elements(of: document.id, id: id, list: field("spots"))
    if let element = elements.randomElement(using: &random), Bool.random(using: &random) {
      try changeInside(file, id, .element(property("spots"), element.id), using: &random)
    } else {
      try changeList(file, id, field("spots"), newSpot(using: &random), using: &random)
    }
  }

  /// A field, or the list, of an embedded object in a collection.
  func changeInside(
    _ file: StoreFile, _ id: RowID, _ step: FieldPath.Step, using random: inout SeededGenerator
  ) throws(StorageError) {
    let value = NewValue.scalar(.int(Int64.random(in: 0...9, using: &random)))
    guard Bool.random(using: &random) else {
      let path = FieldPath(steps: [step], property: spotProperty("w"))
      return try file.assign(document.id, id: id, path, value)
    }
    let marks = FieldPath(steps: [step], property: spotProperty("marks"))
    try changeList(file, id, marks, value, using: &random)
  }

  func newSpot(using random: inout SeededGenerator) -> NewValue {
    let number = Int64.random(in: 0...9, using: &random)
    return .embedded([
      NewField(spotProperty("v"), .scalar(.int(number))),
      NewField(spotProperty("w"), .scalar(.int(number))),
      NewField(spotProperty("marks"), .list([.scalar(.int(number))])),
    ])
  }
}
