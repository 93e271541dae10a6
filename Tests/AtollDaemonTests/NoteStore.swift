import AtollStorage
import AtollVocabulary
import Testing

/// A new store file with notes, each of whose transactions makes those of one list of texts.
func makeNoteStore(
  _ path: String, id: StoreID, transactions: some Sequence<[String]>
) throws -> StoreFile {
  let file = try StoreFile.open(path, options: StoreOptions(storeID: id, durability: .normal))
  let schema = ClassSchema(
    name: "Note", primaryKey: "id",
    properties: [
      PropertySchema(name: "id", type: .int), PropertySchema(name: "text", type: .string),
    ])
  let notes = try #require(try file.adopt([schema]).first)
  let text = try #require(notes.property(named: "text"))
  var count: Int64 = 0
  for texts in transactions {
    try file.beginWrite()
    for words in texts {
      _ = try file.create(
        notes.id, key: .int(count), fields: [NewField(text, .scalar(.string(words)))])
      count += 1
    }
    _ = try file.commitWrite()
  }
  return file
}
