import AtollChanges
import AtollStorage
import AtollVocabulary
import AtollWire
import Foundation

/// Single edits, each a transaction of its own, and the bytes of the frames that carry all of them.
struct WireMeasure {
  let folder: URL
  let edits: Int

  private static let note = ClassSchema(
    name: "Note", primaryKey: "pk",
    properties: [
      PropertySchema(name: "pk", type: .int), PropertySchema(name: "count", type: .int),
    ])

  /// Bytes for one edit: an integer assigned in one of a hundred objects.
  func run() throws -> Double {
    let file = try StoreFile.open(folder.appendingPathComponent("wire.atoll").path)
    defer { file.close() }
    guard let note = try file.adopt([Self.note]).first, let count = note.property(named: "count")
    else { throw ClusterError.different(reason: "the class Note is missing") }
    try file.beginWrite()
    let rows = try (0..<100).map { key in
      try file.create(note.id, key: .int(key), fields: [])
    }
    _ = try file.commitWrite()
    let known = try file.appliedVector()
    for number in 0..<edits {
      try file.beginWrite()
      try file.assign(
        note.id, id: rows[number &* 7919 % rows.count], FieldPath(count),
        .scalar(.int(Int64(number))))
      _ = try file.commitWrite()
    }
    let entries = try file.entries(
      lackedBy: known, after: .start, limitBytes: Limits.batchBytes, isForPeer: true
    ).entries
    guard let first = entries.first, let last = entries.last, entries.count == edits,
      let seal = last.seal
    else {
      throw ClusterError.different(reason: "\(entries.count) of \(edits) edits fit one frame")
    }
    let run = ChangesetRun(
      author: first.id.author, first: first.id.sequence, changesets: entries.map(\.bytes),
      headHash: last.id.hash, seal: seal)
    var encoder = FrameEncoder()
    return Double(encoder.encode(.changesets([run])).count) / Double(edits)
  }
}
