package import AtollChanges
package import AtollVocabulary
package import AtollWire

// The checks of a fuzzer on any bytes. Whatever they are, they are refused with an error or read as
// what an encoder writes; a promise that is broken stops the process, which is how a fuzzer
// notices.

/// Bytes as a changeset.
package enum ChangesetInput {
  /// Reads the bytes, and holds what they say against the declarations in them.
  ///
  /// - Parameter bytes: Anything.
  /// - Returns: The changeset; nil if the bytes were refused.
  @discardableResult
  package static func run(_ bytes: [UInt8]) -> Changeset? {
    guard let changeset = try? Changeset(decoding: bytes, author: author) else { return nil }
    precondition(changeset.encoded() == bytes, "a second encoding was accepted")
    precondition(!changeset.lines.isEmpty, "a changeset without text")
    var table = DeclarationTable(author: author)
    try? table.admit(changeset)
    return changeset
  }

  /// The author of most vectors, so that their own identities stay short.
  package static let author = Author(
    replica: ReplicaID(high: 0xA000_0000_0000_0001, low: 1), incarnation: Incarnation(0x101))
}

/// Bytes as one frame: the kind, then the payload; length and checksum are put right.
package enum FrameInput {
  /// Reads the frame in two pieces, and again what it becomes when it is written.
  ///
  /// - Parameter bytes: Anything.
  /// - Returns: The frame; nil if the bytes were refused.
  @discardableResult
  package static func run(_ bytes: [UInt8]) -> Frame? {
    guard let kind = bytes.first else { return nil }
    var decoder = FrameDecoder()
    let frame = sealed(kind, bytes.dropFirst())
    decoder.append(frame.prefix(frame.count / 2))
    guard (try? decoder.next()) == .some(.none) else { return nil }
    decoder.append(frame.dropFirst(frame.count / 2))
    guard let found = try? decoder.next() else { return nil }
    precondition(!found.lines.isEmpty, "a frame without text")
    var encoder = FrameEncoder()
    var again = FrameDecoder()
    again.append(encoder.encode(found))
    precondition((try? again.next()) == found, "a frame that is another when it is sent on")
    return found
  }

  /// Preamble, length, kind, payload and the checksum that fits.
  package static func sealed(_ kind: UInt8, _ payload: ArraySlice<UInt8>) -> [UInt8] {
    let length = UInt32(truncatingIfNeeded: payload.count)
    let content = bytes(of: length) + [kind] + payload
    return [0x89, 0x41, 0x54, 0x4F, 0x4C, 0x4C, 0x0D, 0x0A] + content
      + bytes(of: CRC32C.checksum(content))
  }

  private static func bytes(of number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}

/// Bytes as a snapshot.
package enum SnapshotInput {
  /// Reads the bytes in two pages, and writes what was read again.
  ///
  /// - Parameter bytes: Anything.
  /// - Returns: The records, up to the end; nil if the bytes were refused or end early.
  @discardableResult
  package static func run(_ bytes: [UInt8]) -> [SnapshotRecord]? {
    var reader = SnapshotReader()
    var writer = SnapshotWriter()
    var records: [SnapshotRecord] = []
    for page in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
      reader.append(Array(page))
      do throws(ChangesetError) {
        while let record = try reader.next() {
          records.append(record)
          if case .end = record { writer.finish() } else { writer.append(record) }
        }
      } catch {
        return nil
      }
    }
    guard reader.isFinished else { return nil }
    var again: [UInt8] = []
    while let page = writer.nextPage(isLast: true) { again += page }
    precondition(again == bytes, "a second encoding was accepted")
    return records
  }
}
