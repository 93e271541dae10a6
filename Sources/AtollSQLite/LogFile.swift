#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The write-ahead log beside a database, read as bytes, before SQLite takes it for the database's own.
///
///     32 bytes: magic, version, page size, checkpoint, salt 1, salt 2, checksum
///     a frame:  page number, pages of the database if a commit ends, salt 1, salt 2, checksum, page
///
/// SQLite uses whatever stands under the name, as long as the checksums are right: nothing in it says
/// which database it was written for.
package struct LogFile {
  /// One page of a log, as long as it is looked at.
  package struct Page {
    package let bytes: UnsafeRawBufferPointer
    package let endsCommit: Bool
  }

  private let path: String
  private static let headerBytes = 32
  private static let frameBytes = 24

  /// Nil if there is no log beside the database, or one without a frame.
  package init?(of database: String) {
    path = FileFacts.resolved(database) + "-wal"
    guard FileFacts.size(path: path) ?? 0 > Int64(Self.headerBytes + Self.frameBytes) else {
      return nil
    }
  }

  /// Looks at each page that belongs to the log, in order, until the body returns false.
  ///
  /// The pages behind them, of an earlier and longer log, have another salt.
  package func forEachPage(_ body: (Page) -> Bool) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: Self.headerBytes)
    guard pread(descriptor, &header, header.count, 0) == header.count,
      header.starts(with: [0x37, 0x7F, 0x06])
    else { return }
    let pageBytes = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    guard (512...65_536).contains(pageBytes), pageBytes.nonzeroBitCount == 1 else { return }
    let salts = header[16..<24]
    var frame = [UInt8](repeating: 0, count: Self.frameBytes + pageBytes)
    var offset = off_t(Self.headerBytes)
    while pread(descriptor, &frame, frame.count, offset) == frame.count,
      frame[8..<16] == salts
    {
      offset += off_t(frame.count)
      let endsCommit = frame[4..<8].contains { $0 != 0 }
      let goesOn = frame.withUnsafeBytes { bytes in
        body(
          Page(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[Self.frameBytes...]),
            endsCommit: endsCommit))
      }
      guard goesOn else { return }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the offset of some bytes, at `start` or behind it; nil if they are nowhere.
  package func firstOffset(of bytes: [UInt8], from start: Int) -> Int? {
    guard let base = baseAddress, let first = bytes.first else { return nil }
    var place = start
    while place + bytes.count <= count,
      let found = memchr(base + place, Int32(first), count - place - bytes.count + 1)
    {
      place = UnsafeRawPointer(found) - base
      if memcmp(found, bytes, bytes.count) == 0 { return place }
      place += 1
    }
    return nil
  }
}
