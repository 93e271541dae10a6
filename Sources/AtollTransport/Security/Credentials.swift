internal import AtollChanges
package import AtollVocabulary
internal import COpenSSL

/// A node's private key, and the certificates that show the public one.
///
/// As a file: PEM, the key first, then its certificate, then those up to an authority, if there is
/// one. A node that has no file makes an Ed25519 key (32 bytes, signatures without chance that
/// could be bad, no curve to choose) and signs its certificate itself.
package final class Credentials: @unchecked Sendable {
  // Never changed after init; OpenSSL counts references to them from any thread.
  let key: OpaquePointer
  let certificate: OpaquePointer
  let chain: [OpaquePointer]
  package let identity: NodeIdentity

  /// Makes a key and a certificate that calls its owner `name`; only its first 64 bytes count.
  ///
  /// - Throws: `TransportError.credentials` if the system's OpenSSL cannot.
  package init(makingKeyOf name: String) throws(TransportError) {
    atoll_start_openssl()
    guard let key = Self.makeKey() else { throw Self.failed("making a key") }
    guard let certificate = Self.certificate(of: key, name: PeerName(name).text),
      let identity = Self.identity(of: certificate)
    else {
      EVP_PKEY_free(key)
      throw Self.failed("making a certificate")
    }
    self.key = key
    self.certificate = certificate
    self.identity = identity
    chain = []
  }

  /// Reads a key and its certificates.
  ///
  /// - Throws: `TransportError.credentials` saying what is missing or does not fit.
  package init(pem: [UInt8]) throws(TransportError) {
    atoll_start_openssl()
    guard let key = Self.readKey(pem) else { throw Self.failed("reading the private key") }
    let certificates = Self.certificates(in: pem)
    guard let first = certificates.first, let identity = Self.identity(of: first),
      X509_check_private_key(first, key) == 1
    else {
      EVP_PKEY_free(key)
      for certificate in certificates { X509_free(certificate) }
      ERR_clear_error()
      throw .credentials(
        "reading the certificate", problem: "there is none that belongs to the private key")
    }
    self.key = key
    certificate = first
    chain = Array(certificates.dropFirst())
    self.identity = identity
  }

  deinit {
    EVP_PKEY_free(key)
    X509_free(certificate)
    for certificate in chain { X509_free(certificate) }
  }

  /// Key and certificates as they stand in a file.
  package func pem() throws(TransportError) -> [UInt8] {
    guard let buffer = MemoryBuffer(),
      PEM_write_bio_PrivateKey(buffer.pointer, key, nil, nil, 0, nil, nil) == 1,
      ([certificate] + chain).allSatisfy({ PEM_write_bio_X509(buffer.pointer, $0) == 1 })
    else { throw Self.failed("writing the key") }
    return buffer.take()
  }

  // MARK: Reading

  private static func readKey(_ pem: [UInt8]) -> OpaquePointer? {
    guard let buffer = MemoryBuffer(pem) else { return nil }
    // Without a callback OpenSSL would ask the terminal for the password of a locked key.
    return PEM_read_bio_PrivateKey(buffer.pointer, nil, { _, _, _, _ in -1 }, nil)
  }

  /// At most eight; the owner of each is the caller.
  static func certificates(in pem: [UInt8]) -> [OpaquePointer] {
    guard let buffer = MemoryBuffer(pem) else { return [] }
    var certificates: [OpaquePointer] = []
    while certificates.count < 8,
      let certificate = PEM_read_bio_X509(buffer.pointer, nil, nil, nil)
    {
      certificates.append(certificate)
    }
    ERR_clear_error()
    return certificates
  }

  /// The SHA-256 of the public key in a certificate.
  static func identity(of certificate: OpaquePointer) -> NodeIdentity? {
    guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
    let count = Int(i2d_X509_PUBKEY(key, nil))
    guard count > 0 else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      var end = buffer.baseAddress
      written = Int(max(0, i2d_X509_PUBKEY(key, &end)))
    }
    var digest = ContentDigest()
    digest.update(bytes)
    return NodeIdentity(bytes: digest.finish().bytes)
  }

  // MARK: Making

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1 else {
      return nil
    }
    return key
  }

  /// Valid from 2020 for ever (RFC 5280, 4.1.2.5): nobody looks at the dates of a pinned key.
  private static func certificate(of key: OpaquePointer, name: String) -> OpaquePointer? {
    guard let certificate = X509_new() else { return nil }
    let subject = X509_get_subject_name(certificate)
    let isMade =
      X509_set_version(certificate, 2) == 1
      && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
      && ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20200101000000Z") == 1
      && ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1
      && X509_NAME_add_entry_by_txt(
        subject, "CN", atoll_utf8_text, Array(name.utf8), Int32(name.utf8.count), -1, 0) == 1
      && X509_set_issuer_name(certificate, subject) == 1
      && X509_set_pubkey(certificate, key) == 1 && X509_sign(certificate, key, nil) > 0
    if isMade { return certificate }
    X509_free(certificate)
    return nil
  }

  private static func failed(_ action: String) -> TransportError {
    .credentials(action, problem: OpenSSLFailure().words)
  }
}
