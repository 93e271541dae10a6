// Frames to bytes and back: what two peers, or two processes at one store, say to each other.
//
// This module decides how a `Frame` looks on a stream and nothing about when it is said; `protocol/`
// is its mirror for implementers in other languages, and its tests read the vectors there.
//
// It refuses everything it cannot read in full: other first bytes than Atoll's, another protocol
// version, an unknown kind, a length over its limit, a checksum that differs, a payload that ends
// early or goes on too long, a compressed body that would grow beyond its limit. Each refusal is a
// `WireError` that says what was found and what was expected; none is a trap, and none needs more
// memory than the bytes that came.
//
// The life of a frame: `FrameEncoder` writes the preamble before a link's first frame, then length,
// kind, payload and checksum; the stream cuts the bytes where it likes; `FrameDecoder` takes the
// pieces, checks the length before it waits for the rest and the checksum before it reads the
// payload, and hands out an equal `Frame`. Changesets pass through as bytes: what is inside them is
// the business of the module `AtollChanges`, and they arrive exactly as their author made them.
