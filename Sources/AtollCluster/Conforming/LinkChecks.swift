import AtollChanges
import AtollVocabulary
import AtollWire

/// Frames and bytes that a peer has to refuse.
enum LinkChecks {
  static let all = [
    ConformanceCheck(rule: 7, name: "bytes that are no preamble end a link") { peer in
      let ending = try peer.ending(bytes: Array("GET / HTTP/1.1\r\n".utf8))
      return ending == .open ? "the link went on" : nil
    },
    ConformanceCheck(rule: 7, name: "a hello of no common version gets code 2") { peer in
      let hello = peer.hello(Conformance.stranger().author, versions: 200...201)
      return Conformance.expecting(.version, try peer.ending(after: [hello]))
    },
    ConformanceCheck(rule: 7, name: "a hello of another store gets code 3") { peer in
      let other = StoreID(high: ~peer.storeID.high, low: peer.storeID.low)
      let hello = peer.hello(Conformance.stranger().author, storeID: other)
      return Conformance.expecting(.store, try peer.ending(after: [hello]))
    },
    ConformanceCheck(rule: 7, name: "a hello of the peer's own author gets code 4") { peer in
      Conformance.expecting(.ownself, try peer.ending(after: [peer.hello(peer.author)]))
    },
    ConformanceCheck(rule: 7, name: "a wrong checksum gets code 6") { peer in
      var encoder = FrameEncoder()
      var bytes = encoder.encode(peer.hello(Conformance.stranger().author))
      bytes += encoder.encode(.keepAlive(.none))
      bytes[bytes.count - 1] ^= 1
      return Conformance.expecting(.malformed, try peer.ending(bytes: bytes))
    },
    ConformanceCheck(rule: 7, name: "a frame that is too long gets code 6") { peer in
      var encoder = FrameEncoder()
      var bytes = encoder.encode(peer.hello(Conformance.stranger().author))
      bytes += [0xFF, 0xFF, 0xFF, 0xFF, 3]
      return Conformance.expecting(.malformed, try peer.ending(bytes: bytes))
    },
    ConformanceCheck(rule: 7, name: "an unknown kind of frame gets code 6") { peer in
      var encoder = FrameEncoder()
      var bytes = encoder.encode(peer.hello(Conformance.stranger().author))
      bytes += [0, 0, 0, 0, 0xEE]
      return Conformance.expecting(.malformed, try peer.ending(bytes: bytes))
    },
  ]
}
