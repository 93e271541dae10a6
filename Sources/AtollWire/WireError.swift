import AtollVocabulary

/// An error in bytes that came over a link; the link cannot go on after any of them.
package enum WireError: Error, Hashable, Sendable {
  /// The first bytes are not Atoll's.
  case notAtoll(found: [UInt8])
  /// The peer speaks other versions of the protocol only.
  case otherVersions(found: ClosedRange<UInt8>)
  case unknownKind(UInt8)
  case frameTooLong(kind: UInt8, byteCount: Int)
  case checksum(kind: UInt8, found: UInt32, computed: UInt32)
  /// A payload ends early, goes on too long, or holds a value out of its range.
  case payload(Frame.Kind, String)
  /// A compressed payload declares, or would need, more than it may grow to.
  case decompressedTooLong(byteCount: UInt64)
  case compression(String)
}

extension WireError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAtoll(let found):
      "reading a new link: expected Atoll's first bytes, found \(Hexadecimal.text(bytes: found)); "
        + "the other side is not an Atoll peer, or the port belongs to another service"
    case .otherVersions(let found):
      "reading a hello: the peer speaks protocol versions \(Self.text(found)), this side "
        + "\(Self.text(ProtocolVersion.supported)); upgrade the older of the two"
    case .unknownKind(let kind):
      "reading a frame: kind \(kind) is not in protocol version "
        + "\(ProtocolVersion.supported.upperBound)"
    case .frameTooLong(let kind, let byteCount):
      "reading a frame of kind \(kind): it declares \(byteCount) bytes, at most "
        + "\(Limits.frameBytes) are allowed"
    case .checksum(let kind, let found, let computed):
      "reading a frame of kind \(kind): its checksum is \(String(found, radix: 16)), its bytes "
        + "give \(String(computed, radix: 16)); they were damaged on the way"
    case .payload(let kind, let problem): "reading a frame of kind \(kind): \(problem)"
    case .decompressedTooLong(let byteCount):
      "reading a compressed payload: it declares \(byteCount) bytes, at most "
        + "\(Limits.decompressedBytes) are allowed"
    case .compression(let problem): "reading a compressed payload: \(problem)"
    }
  }

  private static func text(_ versions: ClosedRange<UInt8>) -> String {
    versions.count == 1
      ? "\(versions.lowerBound)" : "\(versions.lowerBound) to \(versions.upperBound)"
  }
}
