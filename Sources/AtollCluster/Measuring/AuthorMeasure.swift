import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

/// Many replicas that wrote something, and the time that one takes to receive it from all.
struct AuthorMeasure {
  let folder: URL
  let authors: Int
  /// One change a transaction, of each author.
  let transactions: Int
  /// True if each had received what those before it wrote.
  let isKnowing: Bool
  /// True if all make the same objects.
  let isConflicting: Bool

  private static let schema = ClassSchema(
    name: "Card", primaryKey: "pk",
    properties: [
      PropertySchema(name: "pk", type: .int), PropertySchema(name: "text", type: .string),
    ])

  func run() throws -> Duration {
    let storeID = StoreID(high: 1, low: 2)
    var written: [IncomingChangeset] = []
    for author in 0..<authors {
      let file = try open("\(author)", storeID, .none)
      if isKnowing { try ConflictMeasure.take(written, file) }
      let known = try file.appliedVector()
      guard let card = try file.storedClass(named: "Card"), let text = card.property(named: "text")
      else { throw ClusterError.different(reason: "the class is missing") }
      for number in 0..<transactions {
        try file.beginWrite()
        let key = PersistedValue.int(Int64((isConflicting ? 0 : author * transactions) + number))
        let field = NewField(text, .scalar(.string("card \(number) of \(author)")))
        if let row = try file.find(card.id, key: key) {
          try file.assign(card.id, id: row, FieldPath(text), field.value)
        } else {
          _ = try file.create(card.id, key: key, fields: [field])
        }
        _ = try file.commitWrite()
      }
      written += try MergeMeasure.changesets(of: file, after: known)
      file.close()
      try FileManager.default.removeItem(at: folder.appendingPathComponent("\(author).atoll"))
    }
    let receiver = try open("receiver", storeID, .full)
    defer { receiver.close() }
    let frames = ConflictMeasure.frames(written)
    return try ContinuousClock().measure {
      for frame in frames { try ConflictMeasure.take(frame, receiver) }
    }
  }

  private func open(
    _ name: String, _ storeID: StoreID, _ durability: StoreOptions.Durability
  ) throws -> StoreFile {
    let file = try StoreFile.open(
      folder.appendingPathComponent("\(name).atoll").path,
      options: StoreOptions(storeID: storeID, durability: durability))
    _ = try file.adopt([Self.schema])
    return file
  }
}
