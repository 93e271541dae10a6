import AtollQuery
import AtollStorage
import AtollVocabulary

// Remarks have no declared key: two that are made are never one, and of a deleted one nothing is kept.
extension Workload {
  static let remarkClass = ClassSchema(
    name: "Remark",
    properties: [
      PropertySchema(name: "text", type: .string),
      PropertySchema(name: "marks", type: .int, collection: .list),
      PropertySchema(name: "answer", type: .link, isOptional: true, target: "Remark"),
    ])

  /// Few enough that nodes meet at them.
  private static let remarks = 8

  func changeRemark(
    _ file: StoreFile, using random: inout SeededGenerator
  ) throws(StorageError) {
    let known = try someRemarks(file)
    let text = NewValue.scalar(.string("remark \(Int.random(in: 0...9, using: &random))"))
    guard let id = known.randomElement(using: &random),
      known.count == Self.remarks || Int.random(in: 0..<4, using: &random) > 0
    else {
      let made = try file.create(
        remark.id, key: nil, fields: [NewField(property("text", of: remark), text)])
      _ = try file.listInsert(
        document.id, id: someDocument(file, using: &random), list: field("remarks"), at: nil,
        .link(remark.id, made))
      return
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: try file.delete(remark.id, id: id)
    case 2:
      let other = known.randomElement(using: &random) ?? id
      try file.assign(remark.id, id: id, remarkField("answer"), .link(remark.id, other))
    case 3:
      _ = try file.listInsert(
        remark.id, id: id, list: remarkField("marks"), at: nil, .scalar(.int(1)))
    case _: try file.assign(remark.id, id: id, remarkField("text"), text)
    }
  }

  private func someRemarks(_ file: StoreFile) throws(StorageError) -> [RowID] {
    var found: [RowID] = []
    let rows = try file.rows(StoreQuery(remark.id).limited(to: Self.remarks))
    while let row = try rows.next() { found.append(row.id) }
    return found
  }

  private func remarkField(_ name: String) -> FieldPath {
    FieldPath(property(name, of: remark))
  }
}
