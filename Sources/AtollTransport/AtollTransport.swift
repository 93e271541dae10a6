// A link: frames, both ways, over one byte stream, with TLS between the two where the stream leaves
// the machine. The only module that says `SSL_`.
//
// It decides how frames share system calls (those sent in one turn of the loop leave in one
// gathered write), when a link reads (not while its consumer is behind), which streams are secured
// (`LinkSecurity`: those beyond loopback, all, or none), whose process may have the other end of
// one that is not (`UserCheck`: this user's, as the kernel tells, unless every local user may), and
// what a handshake may cost before the other side has proved which key it has (`TLSHandshake`: time
// and bytes). It does not decide who may connect, which the roster says by the key's identity; the
// meaning of a frame; or how a link that brought garbage is closed. These are the engine's.
//
// The life of a stream: `Dial` connects it or a `TCPListener` accepts it; `TLSHandshake` makes it a
// `Channel`, which knows its `Peer`; a `Link` takes that over.
//
// The life of a frame: `Link.send` encodes it behind the others of this turn; at the turn's end, or
// at 64 KiB, the bytes go through the channel's `TLSSession`, if it has one, to the `ByteStream`. At
// the other end they arrive cut anywhere and are decrypted record by record; the link's decoder puts
// the frame together, checks it, and `onFrame` gets an equal one, in order. A consumer that is behind
// calls `pause()`: frames already decoded wait here, bytes wait in the socket, and the sender's queue
// fills up to its bound.
