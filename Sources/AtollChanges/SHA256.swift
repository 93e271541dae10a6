import AtollVocabulary

#if canImport(CryptoKit)
import CryptoKit

/// SHA-256 through CryptoKit, which Apple's systems have.
struct SHA256: ~Copyable {
  private var hasher = CryptoKit.SHA256()

  mutating func update(_ bytes: UnsafeRawBufferPointer) { hasher.update(bufferPointer: bytes) }

  mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  consuming func finish() -> ChainHash {
    guard let hash = ChainHash(Array(hasher.finalize())) else {
      fatalError("finishing a SHA-256: CryptoKit gave no 32 bytes")
    }
    return hash
  }
}

#else
import COpenSSL

/// SHA-256 through OpenSSL; the only place of this module that calls it.
///
/// Noncopyable, because the context behind it has one owner.
struct SHA256: ~Copyable {
  /// Fetched once: an implicit fetch costs more than hashing a small changeset.
  private static let algorithm = Algorithm()

  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new(),
      EVP_DigestInit_ex2(context, Self.algorithm.pointer, nil) == 1
    else { fatalError("starting a SHA-256: OpenSSL refused; is its default provider loaded?") }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
      fatalError("continuing a SHA-256: OpenSSL refused \(bytes.count) bytes")
    }
  }

  mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  consuming func finish() -> ChainHash {
    let bytes = [UInt8](unsafeUninitializedCapacity: ChainHash.byteCount) { buffer, count in
      var written: UInt32 = 0
      let isDone = EVP_DigestFinal_ex(context, buffer.baseAddress, &written) == 1
      count = isDone ? Int(written) : 0
    }
    guard let hash = ChainHash(bytes) else {
      fatalError("finishing a SHA-256: OpenSSL gave \(bytes.count) bytes, expected 32")
    }
    return hash
  }

  /// The algorithm as OpenSSL's default provider implements it.
  ///
  /// Immutable once fetched and counted by OpenSSL, so threads may share it.
  private struct Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer?

    init() {
      atoll_start_openssl()
      pointer = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()
    }
  }
}
#endif
