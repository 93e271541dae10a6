#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/// Starts OpenSSL; to be called before anything else of it, and does nothing the second time.
///
/// By itself it takes itself down in a handler of `exit`, while threads of a store still hash, sign
/// and decrypt, and a process that did nothing wrong ends with a crash. What it holds goes with the
/// process instead. An application that started it earlier has the handler.
static inline void atoll_start_openssl(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

// What OpenSSL has as macros, which Swift does not see.

/// 1 if every connection of the context is to speak TLS 1.3 and nothing else.
static inline int atoll_tls_only_1_3(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1
    && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}

/// Gives a connection's buffers back while nothing is in them.
static inline void atoll_tls_release_buffers(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
    | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline void atoll_tls_bound_certificates(SSL_CTX *context, long bytes) {
  SSL_CTX_set_max_cert_list(context, bytes);
}

/// Takes a reference of its own to a certificate between ours and the authority's.
static inline int atoll_tls_add_chain(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

/// Neither tickets nor a cache: a session is never taken up again.
static inline void atoll_tls_forget_sessions(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// The reason in a code of the error queue.
static inline int atoll_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

static const int atoll_utf8_text = MBSTRING_UTF8;

/// Bytes in a memory BIO.
static inline size_t atoll_bio_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
