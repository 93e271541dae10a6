internal import COpenSSL

/// Why bytes are no TLS, or not of the peer that was expected.
package struct TLSProblem: Error, Hashable, Sendable {
  /// In OpenSSL's words, where they are its.
  package let words: String
  package let remedy: String?

  init(_ words: String, remedy: String? = nil) {
    self.words = words
    self.remedy = remedy
  }

  /// Takes what OpenSSL said, and what came of looking at the other side's certificate.
  init(_ failure: OpenSSLFailure, verification: Int) {
    guard failure.reason == SSL_R_CERTIFICATE_VERIFY_FAILED else {
      self.init(failure.words, remedy: Self.remedy(for: failure.reason))
      return
    }
    let words = X509_verify_cert_error_string(verification).map { String(cString: $0) }
    self.init(
      "the peer's certificate: \(words ?? failure.words)",
      remedy: "renew it, or correct the clock of this machine; the authority says which "
        + "certificates count here")
  }

  private static func remedy(for reason: Int32?) -> String? {
    switch reason {
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_HTTP_REQUEST:
      "the other side does not speak TLS: start it with --tls, or correct the address"
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      "both sides have to speak TLS 1.3"
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      "both sides have to show a certificate"
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      "the peer's authority wants this node's certificate renewed"
    case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      "the other side is no Atoll node, or of another release"
    default: nil
    }
  }
}

extension TLSProblem: CustomStringConvertible {
  package var description: String { words + (remedy.map { "; \($0)" } ?? "") }
}
