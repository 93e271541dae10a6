package import AtollVocabulary

/// A SHA-256 over what a replica holds, fed cell by cell.
///
/// Equal contents give equal digests on every machine: values go in as their canonical bytes, with
/// authors written whole. Small updates are gathered before they reach OpenSSL.
package struct ContentDigest: ~Copyable {
  private static let gathered = 16 << 10

  private var hash = SHA256()
  private var buffer: [UInt8] = []

  package init() { buffer.reserveCapacity(Self.gathered + 256) }

  package mutating func update(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    flushIfFull()
  }

  /// Eight bytes, big-endian.
  package mutating func update(_ number: UInt64) {
    buffer.append(fixed: number)
    flushIfFull()
  }

  /// Length and UTF-8, so that neighbouring texts never run together.
  package mutating func update(_ text: String) {
    buffer.append(text: text)
    flushIfFull()
  }

  /// The value's tag and canonical bytes (`protocol/changeset.md`, "Values").
  package mutating func update(_ value: PersistedValue) {
    buffer.append(value, context: nil)
    flushIfFull()
  }

  package consuming func finish() -> ChainHash {
    hash.update(buffer)
    return hash.finish()
  }

  private mutating func flushIfFull() {
    guard buffer.count >= Self.gathered else { return }
    hash.update(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
