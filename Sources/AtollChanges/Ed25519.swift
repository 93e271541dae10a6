#if canImport(CryptoKit)
import CryptoKit

/// Signatures by Ed25519 (RFC 8032) through CryptoKit, which Apple's systems have.
enum Ed25519 {
  static let keyBytes = 32
  static let signatureBytes = 64

  /// A private key, from the 32 bytes that it is stored as.
  struct PrivateKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    init(seed: [UInt8]) {
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
        fatalError("making a signing key: CryptoKit refused \(seed.count) bytes, expected 32")
      }
      self.key = key
    }

    var publicBytes: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func sign(_ message: [UInt8]) -> [UInt8] {
      guard let signature = try? key.signature(for: message) else {
        fatalError("signing \(message.count) bytes: CryptoKit refused")
      }
      return Array(signature)
    }
  }

  static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else {
      return false
    }
    return key.isValidSignature(signature, for: message)
  }
}

#else
import COpenSSL

/// Signatures by Ed25519 (RFC 8032) through OpenSSL.
enum Ed25519 {
  static let keyBytes = 32
  static let signatureBytes = 64

  /// A private key, from the 32 bytes that it is stored as.
  ///
  /// Immutable once made and counted by OpenSSL, so threads may share it.
  final class PrivateKey: @unchecked Sendable {
    private let key: OpaquePointer

    init(seed: [UInt8]) {
      atoll_start_openssl()
      guard
        let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
      else { fatalError("making a signing key: OpenSSL refused \(seed.count) bytes, expected 32") }
      self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    var publicBytes: [UInt8] {
      [UInt8](unsafeUninitializedCapacity: keyBytes) { buffer, count in
        count = keyBytes
        guard EVP_PKEY_get_raw_public_key(key, buffer.baseAddress, &count) == 1 else {
          fatalError("reading a public key: OpenSSL refused")
        }
      }
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      return [UInt8](unsafeUninitializedCapacity: signatureBytes) { buffer, count in
        count = signatureBytes
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
          EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count) == 1
        else { fatalError("signing \(message.count) bytes: OpenSSL refused") }
      }
    }
  }

  static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    atoll_start_openssl()
    let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
    guard let key else { return false }
    defer { EVP_PKEY_free(key) }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
#endif
