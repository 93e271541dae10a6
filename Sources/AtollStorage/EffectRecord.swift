import AtollChanges
import AtollVocabulary

/// A commit in the compact form that other processes read.
///
/// Numbers of seven bits a byte, ids as distances from the one before: for each class its number, a
/// flag byte (1: the whole class), then counted inserted, deleted, and modified ids, each modified
/// one with its columns as eight bytes.
enum EffectRecord {
  static func bytes(_ changes: [ClassChanges]) -> [UInt8] {
    var bytes: [UInt8] = []
    for change in changes {
      bytes.append(number: UInt64(truncatingIfNeeded: change.classID.rawValue))
      bytes.append(change.isWhole ? 1 : 0)
      append(change.inserted, to: &bytes)
      append(change.deleted, to: &bytes)
      append(change.modified.map(\.id), to: &bytes)
      for modification in change.modified { bytes.append(word: modification.columns.bits) }
    }
    return bytes
  }

  /// Reads what ``bytes(_:)`` wrote; nil for anything else.
  static func changes(_ bytes: [UInt8]) -> [ClassChanges]? {
    var reader = WordReader(bytes)
    var changes: [ClassChanges] = []
    while !reader.isAtEnd {
      guard let number = reader.varint(), let flag = reader.byte(),
        let inserted = ids(&reader), let deleted = ids(&reader), let modified = ids(&reader)
      else { return nil }
      var modifications: [ClassChanges.Modification] = []
      for id in modified {
        guard let bits = reader.word() else { return nil }
        modifications.append(.init(id: id, columns: ColumnSet(bits: bits)))
      }
      changes.append(
        ClassChanges(
          classID: ClassID(Int32(truncatingIfNeeded: number)), isWhole: flag & 1 != 0,
          inserted: inserted, deleted: deleted, modified: modifications))
    }
    return changes
  }

  private static func append(_ ids: [RowID], to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(ids.count))
    var previous: Int64 = 0
    for id in ids {
      bytes.append(number: UInt64(bitPattern: id.rawValue &- previous))
      previous = id.rawValue
    }
  }

  private static func ids(_ reader: inout WordReader) -> [RowID]? {
    guard let count = reader.varint(), count <= Limits.effectObjects else { return nil }
    var ids: [RowID] = []
    var previous: Int64 = 0
    for _ in 0..<count {
      guard let distance = reader.varint() else { return nil }
      previous &+= Int64(bitPattern: distance)
      ids.append(RowID(previous))
    }
    return ids
  }
}
