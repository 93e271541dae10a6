package import AtollVocabulary
internal import COpenSSL

/// The purpose of a link, sent in the handshake (ALPN, RFC 7301).
package enum LinkPurpose: String, Sendable, CaseIterable {
  /// Replicas that know each other exchange.
  case exchange = "atoll/1"
  /// Nodes get to know each other by a code.
  case pairing = "atoll-pair/1"

  /// As the handshake has it: a length, then the name.
  var wireName: [UInt8] { [UInt8(rawValue.utf8.count)] + rawValue.utf8 }
}

/// The common state of all secured links of a node; confined to the node's loop.
///
/// TLS 1.3 and nothing older, both sides show a certificate, no session is ever taken up again.
/// Without an authority any certificate will do, whatever its dates: the handshake proves that the
/// other side has the key in it, and who may come is decided by that key's identity. With an
/// authority a certificate must also lead to it and be within its dates.
package final class TLSContext {
  let pointer: OpaquePointer
  package let identity: NodeIdentity
  /// The buffer for decrypted records, used by one session at a time.
  let plaintext = UnsafeMutableRawBufferPointer.allocate(
    byteCount: TLSSession.recordBytes, alignment: 16)

  /// Takes the key to show; `authority` has certificates in PEM that others' must lead to, nil takes
  /// any.
  ///
  /// - Throws: `TransportError.credentials` if OpenSSL refuses one of them.
  package init(_ credentials: Credentials, authority: [UInt8]? = nil) throws(TransportError) {
    guard let pointer = SSL_CTX_new(TLS_method()) else {
      throw .credentials("preparing TLS", problem: OpenSSLFailure().words)
    }
    self.pointer = pointer
    identity = credentials.identity
    guard atoll_tls_only_1_3(pointer) == 1 else {
      throw .credentials("preparing TLS 1.3", problem: OpenSSLFailure().words)
    }
    atoll_tls_release_buffers(pointer)
    atoll_tls_forget_sessions(pointer)
    atoll_tls_bound_certificates(pointer, Limits.handshakeBytes / 2)
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, chosen, length, offered, count, _ in
        TLSContext.choose(chosen, length, offered, count)
      }, nil)
    try show(credentials)
    if let authority {
      try trust(authority)
    } else {
      SSL_CTX_set_cert_verify_callback(pointer, { _, _ in 1 }, nil)
    }
  }

  deinit {
    SSL_CTX_free(pointer)
    plaintext.deallocate()
  }

  private func show(_ credentials: Credentials) throws(TransportError) {
    guard SSL_CTX_use_certificate(pointer, credentials.certificate) == 1,
      SSL_CTX_use_PrivateKey(pointer, credentials.key) == 1,
      credentials.chain.allSatisfy({ atoll_tls_add_chain(pointer, $0) == 1 })
    else { throw .credentials("using the key", problem: OpenSSLFailure().words) }
  }

  private func trust(_ authority: [UInt8]) throws(TransportError) {
    let certificates = Credentials.certificates(in: authority)
    defer { for certificate in certificates { X509_free(certificate) } }
    guard !certificates.isEmpty else {
      throw .credentials(
        "reading the authority's certificate", problem: "there is no certificate in the file")
    }
    let store = SSL_CTX_get_cert_store(pointer)
    for certificate in certificates where X509_STORE_add_cert(store, certificate) != 1 {
      throw .credentials("using the authority's certificate", problem: OpenSSLFailure().words)
    }
  }

  /// The first name that a dialer offers and this build knows; a handshake without one fails.
  private static func choose(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32
  ) -> Int32 {
    let bytes = UnsafeBufferPointer(start: offered, count: Int(count))
    var start = 0
    while start < bytes.count {
      let size = Int(bytes[start])
      let name = bytes[(start + 1)...].prefix(size)
      if LinkPurpose(rawValue: String(decoding: name, as: UTF8.self)) != nil {
        chosen?.pointee = offered.map { $0 + start + 1 }
        length?.pointee = UInt8(size)
        return SSL_TLSEXT_ERR_OK
      }
      start += 1 + size
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
}
