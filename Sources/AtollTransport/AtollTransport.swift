// A link: frames, both ways, over one byte stream. TLS will stand between the two here.
//
// What it decides: how frames share system calls (those sent in one turn of the loop leave in one
// gathered write), when a link reads (not while its consumer is behind), and where a link may go:
// plain TCP carries everybody's data readable and lets everybody in, so it is refused outside
// loopback, for listening as for dialing. What it refuses to decide: what a frame means, and
// whether a link that brought garbage is closed politely. That is the engine's.
//
// The life of a frame: `Link.send` encodes it behind the others of this turn; at the turn's end, or
// at 64 KiB, the bytes go to the `ByteStream`. At the other end they arrive cut anywhere; the
// link's decoder puts the frame together, checks it, and `onFrame` gets an equal one, in order. A
// consumer that is behind calls `pause()`: frames already decoded wait here, bytes wait in the
// socket, and the sender's queue fills up to its bound.
