import AtollVocabulary
import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The changes to files since each was last flushed, in order.
struct UnflushedChanges {
  enum Change {
    /// `old` is what stood there, shorter than `new` where the file ended.
    case write(offset: Int64, old: [UInt8], new: [UInt8], oldSize: Int64)
    /// `old` is what was cut off, from `size` on.
    case truncate(size: Int64, old: [UInt8])
  }

  private var changes: [String: [Change]] = [:]

  /// The unit that a disk writes in one go.
  fileprivate static let sectorBytes = 512

  var count: Int { changes.values.reduce(0) { $0 + $1.count } }

  mutating func append(_ change: Change, to path: String) {
    changes[path, default: []].append(change)
  }

  mutating func forget(_ path: String) { changes[path] = nil }

  /// Takes everything back, and does again what chance lets land.
  func settle(using random: inout some RandomNumberGenerator) throws(SQLiteError) {
    for (path, list) in changes.sorted(by: { $0.key < $1.key }) {
      let file = open(path, O_RDWR | O_CLOEXEC)
      // A file that was deleted since has nothing to lose.
      guard file >= 0 else { continue }
      defer { close(file) }
      for change in list.reversed() { try change.undo(in: file) }
      // Often all of it, often nothing: the extremes are where bugs are.
      let percent = [0, 0, 30, 60, 90, 100].randomElement(using: &random) ?? 0
      for change in list where Int.random(in: 0..<100, using: &random) < percent {
        let tearing = Int.random(in: 0..<(change.isLong ? 2 : 4), using: &random) == 0
        try change.land(in: file, tearing: tearing, &random)
      }
    }
  }
}

extension UnflushedChanges.Change {
  /// True if it is of several pages, which a disk is likelier to write in part.
  var isLong: Bool {
    if case .write(_, _, let new, _) = self { new.count > 8192 } else { false }
  }

  func undo(in file: Int32) throws(SQLiteError) {
    switch self {
    case .write(let offset, let old, _, let oldSize):
      try Self.write(old[...], to: file, at: offset)
      if offset + Int64(old.count) >= oldSize { try Self.resize(file, to: oldSize) }
    case .truncate(let size, let old): try Self.write(old[...], to: file, at: size)
    }
  }

  func land(
    in file: Int32, tearing: Bool, _ random: inout some RandomNumberGenerator
  ) throws(SQLiteError) {
    switch self {
    case .write(let offset, _, let new, _):
      guard tearing else { return try Self.write(new[...], to: file, at: offset) }
      for sector in Self.sectors(of: new, at: offset) where Bool.random(using: &random) {
        try Self.write(new[sector], to: file, at: offset + Int64(sector.lowerBound))
      }
    case .truncate(let size, _): try Self.resize(file, to: size)
    }
  }

  /// The parts of a write that lie in one sector each.
  private static func sectors(of bytes: [UInt8], at offset: Int64) -> [Range<Int>] {
    let length = UnflushedChanges.sectorBytes
    var start = 0
    var parts: [Range<Int>] = []
    while start < bytes.count {
      let rest = length - Int((offset + Int64(start)) % Int64(length))
      let end = min(start + rest, bytes.count)
      parts.append(start..<end)
      start = end
    }
    return parts
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64
  ) throws(SQLiteError) {
    guard !bytes.isEmpty else { return }
    let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
    guard count == bytes.count else { throw SQLiteError(FaultCode.write, of: nil) }
  }

  private static func resize(_ file: Int32, to size: Int64) throws(SQLiteError) {
    guard ftruncate(file, off_t(size)) == 0 else {
      throw SQLiteError(FaultCode.truncate, of: nil)
    }
  }
}
