internal import COpenSSL

/// The name that a node gives itself, fit to be printed; it proves nothing.
struct PeerName {
  /// At most 64 letters, digits, dots, hyphens and underscores of ASCII; never empty.
  let text: String

  private static let byteCount = 64

  init(_ name: String) {
    let safe = name.utf8.prefix(Self.byteCount).map { Self.isSafe($0) ? $0 : UInt8(ascii: "_") }
    text = safe.isEmpty ? "unnamed" : String(decoding: safe, as: UTF8.self)
  }

  /// The common name of a certificate's owner.
  init(of certificate: OpaquePointer) {
    let name = X509_get_subject_name(certificate)
    let place = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
    guard place >= 0, let entry = X509_NAME_get_entry(name, place),
      let value = X509_NAME_ENTRY_get_data(entry), let bytes = ASN1_STRING_get0_data(value)
    else {
      self.init("")
      return
    }
    let count = min(Int(max(0, ASN1_STRING_length(value))), Self.byteCount)
    self.init(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
  }

  private static func isSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
