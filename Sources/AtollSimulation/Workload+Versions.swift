import AtollStorage
import AtollVocabulary

// Four versions of the model, which nodes run side by side and upgrade in any order.
extension Workload {
  /// 2 adds a property, 3 a class and a list of links to it, 4 gives the property another type.
  static let versions = 1...4

  static func classes(_ version: Int) -> [ClassSchema] {
    var classes = commonClasses + [accountClass, remarkClass]
    if version >= 2 {
      classes[0].properties.append(
        PropertySchema(name: "note", type: version < 4 ? .string : .int))
    }
    if version >= 3 {
      classes[0].properties.append(
        PropertySchema(name: "memos", type: .link, collection: .list, target: "Memo"))
      classes.append(
        ClassSchema(
          name: "Memo", primaryKey: "id",
          properties: [
            PropertySchema(name: "id", type: .int), PropertySchema(name: "text", type: .string),
          ]))
    }
    return classes
  }

  /// Changes what only newer versions have.
  func changeNewer(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    guard version >= 2 else { return }
    let id = try someDocument(file, using: &random)
    let number = Int64.random(in: 0...9, using: &random)
    if version >= 3, number < 5 { return try addMemo(file, to: id, number) }
    let type: PersistedType = version < 4 ? .string : .int
    // There may be two of the name.
    guard let note = document.properties.last(where: { $0.name == "note" && $0.type == type })
    else { return }
    try file.assign(
      document.id, id: id, FieldPath(note),
      .scalar(version < 4 ? .string("note \(number)") : .int(number)))
  }

  private func addMemo(
    _ file: StoreFile, to id: RowID, _ number: Int64
  ) throws(StorageError) {
    guard let memo = classes.first(where: { $0.name == "Memo" }) else { return }
    let key = PersistedValue.int(number)
    let target: RowID
    if let found = try file.find(memo.id, key: key) {
      target = found
    } else {
      target = try file.create(memo.id, key: key, fields: [])
    }
    _ = try file.listInsert(
      document.id, id: id, list: field("memos"), at: nil, .link(memo.id, target))
  }
}
