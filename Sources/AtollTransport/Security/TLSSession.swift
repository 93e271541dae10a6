internal import AtollVocabulary
internal import COpenSSL

/// One side of a TLS 1.3 connection, as a function from bytes to bytes.
///
/// Touches no socket: what came is handed in, what is to go is handed out. Confined to the loop of
/// its context. Never trusts sizes: records are read one at a time into the context's memory, so
/// that an idle session costs no more than OpenSSL's state.
final class TLSSession {
  /// The largest record's plaintext.
  static let recordBytes = 16 << 10

  enum Side {
    case dialing
    case accepting
  }

  private let context: TLSContext
  private let pointer: OpaquePointer
  /// Owned by `pointer`: what came, and what is to go.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  /// True if the other side said that nothing more comes.
  private(set) var isEnded = false

  /// Nil if there is no memory.
  init?(_ context: TLSContext, side: Side, purpose: LinkPurpose) {
    guard let pointer = SSL_new(context.pointer) else { return nil }
    guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(pointer)
      return nil
    }
    SSL_set_bio(pointer, incoming, outgoing)
    switch side {
    case .dialing:
      SSL_set_connect_state(pointer)
      let name = purpose.wireName
      SSL_set_alpn_protos(pointer, name, UInt32(name.count))
    case .accepting: SSL_set_accept_state(pointer)
    }
    self.context = context
    self.pointer = pointer
    self.incoming = incoming
    self.outgoing = outgoing
  }

  deinit { SSL_free(pointer) }

  // MARK: The handshake

  /// Goes on with the handshake; whether it is over.
  ///
  /// - Throws: what is wrong, in words; an alert may be there for the other side.
  func shakeHands(after bytes: UnsafeRawBufferPointer) throws(TLSProblem) -> Bool {
    put(bytes)
    ERR_clear_error()
    let code = SSL_do_handshake(pointer)
    if code == 1 { return true }
    guard SSL_get_error(pointer, code) == SSL_ERROR_WANT_READ else {
      throw TLSProblem(OpenSSLFailure(), verification: SSL_get_verify_result(pointer))
    }
    return false
  }

  /// Returns the other side's identity; nil before the handshake is over.
  func peer() -> (identity: NodeIdentity, name: PeerName)? {
    guard let certificate = SSL_get1_peer_certificate(pointer) else { return nil }
    defer { X509_free(certificate) }
    return Credentials.identity(of: certificate).map { ($0, PeerName(of: certificate)) }
  }

  /// The purpose that both sides agreed on; nil if none was given.
  var purpose: LinkPurpose? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(pointer, &name, &count)
    let bytes = UnsafeBufferPointer(start: name, count: Int(count))
    return LinkPurpose(rawValue: String(decoding: bytes, as: UTF8.self))
  }

  /// Bytes that only the two ends of this very connection can compute (RFC 8446, 7.5).
  func exportedKey(label: String) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: 32)
    let isMade = SSL_export_keying_material(
      pointer, &key, key.count, label, label.utf8.count, nil, 0, 0)
    return isMade == 1 ? key : nil
  }

  // MARK: Bytes

  /// Decrypts what came, piece by piece.
  ///
  /// - Throws: what is wrong with the bytes; nothing that came before is lost.
  func open(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(TLSProblem) {
    var rest = bytes[...]
    repeat {
      put(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.recordBytes)))
      rest = rest.dropFirst(Self.recordBytes)
      while !isEnded, let count = try read() {
        body(UnsafeRawBufferPointer(rebasing: context.plaintext[..<count]))
      }
    } while !rest.isEmpty && !isEnded
  }

  private func read() throws(TLSProblem) -> Int? {
    ERR_clear_error()
    let code = SSL_read(
      pointer, context.plaintext.baseAddress, Int32(context.plaintext.count))
    if code > 0 { return Int(code) }
    switch SSL_get_error(pointer, code) {
    case SSL_ERROR_WANT_READ: return nil
    case SSL_ERROR_ZERO_RETURN:
      isEnded = true
      return nil
    default: throw TLSProblem(OpenSSLFailure(), verification: SSL_get_verify_result(pointer))
    }
  }

  /// Encrypts bytes, behind what else is to go.
  func seal(_ bytes: [UInt8]) throws(TLSProblem) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(bytes.count + (bytes.count / Self.recordBytes + 1) * 32)
    var rest = bytes[...]
    while !rest.isEmpty {
      ERR_clear_error()
      let taken = rest.prefix(Self.recordBytes).withUnsafeBytes { part in
        Int(SSL_write(pointer, part.baseAddress, Int32(part.count)))
      }
      guard taken > 0 else {
        throw TLSProblem(OpenSSLFailure(), verification: SSL_get_verify_result(pointer))
      }
      rest = rest.dropFirst(taken)
      take(into: &sealed)
    }
    return sealed
  }

  /// Returns the bytes to send that nobody asked for: handshake, alerts, new keys.
  func outbound() -> [UInt8] {
    var bytes: [UInt8] = []
    take(into: &bytes)
    return bytes
  }

  /// Says that nothing more comes, as the last bytes of this side.
  func farewell() -> [UInt8] {
    SSL_shutdown(pointer)
    ERR_clear_error()
    return outbound()
  }

  private func put(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    // Memory takes everything; if there is none left, the next record does not add up.
    BIO_write(incoming, base, Int32(clamping: bytes.count))
  }

  private func take(into bytes: inout [UInt8]) {
    let count = Int(clamping: atoll_bio_pending(outgoing))
    guard count > 0 else { return }
    bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = max(0, Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))))
    }
  }
}
