package import AtollChanges
import AtollVocabulary

/// Pages of snapshots that somebody made by hand.
package enum SnapshotPages {
  /// The pages with the hash after each, by the last of which the snapshot is named.
  package static func named(_ pages: [[UInt8]]) -> [SnapshotPage] {
    var hashes: [ChainHash] = []
    for page in pages { hashes.append((hashes.last ?? .snapshotOrigin).following(page)) }
    return zip(pages, hashes).enumerated().map { index, page in
      SnapshotPage(
        id: hashes.last ?? .snapshotOrigin, index: index, hash: page.1, bytes: page.0)
    }
  }

  /// The pages of a snapshot with another head.
  package static func changed(
    _ pages: [[UInt8]], head change: (inout SnapshotHead) throws -> Void
  ) throws -> [[UInt8]] {
    var (reader, writer) = (SnapshotReader(), SnapshotWriter())
    for page in pages {
      reader.append(page)
      while let record = try reader.next() {
        switch record {
        case .head(var head):
          try change(&head)
          writer.append(.head(head))
        case .end: break
        case .row, .tombstone, .placeholder: writer.append(record)
        }
      }
    }
    writer.finish()
    var made: [[UInt8]] = []
    while let page = writer.nextPage(isLast: true) { made.append(page) }
    return made
  }
}
