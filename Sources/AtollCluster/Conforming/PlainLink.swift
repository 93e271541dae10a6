import AtollTransport
import AtollVocabulary
import AtollWire
import Foundation

/// A stream to a peer on which anything can be sent, frames and what is none.
///
/// It waits for the peer for twice its time-out at most, however much that says, and belongs to one thread.
final class PlainLink {
  /// The end of a link.
  enum Ending: Equatable {
    case goodbye(GoodbyeCode, text: String)
    /// The stream ended without a word.
    case closed
    /// The peer did not mind.
    case open
  }

  private let descriptor: Int32
  private let deadline: ContinuousClock.Instant
  private var encoder = FrameEncoder()
  private var decoder = FrameDecoder()

  init(to peer: Endpoint, timeout: Duration) throws {
    deadline = .now + timeout
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(peer.host, String(peer.port), &hints, &found)
    guard code == 0, let address = found?.pointee else {
      throw ConformanceError.unreachable("\(peer)", String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(found) }
    descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    let (seconds, attoseconds) = timeout.components
    var bound = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &bound, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &bound, size)
    guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw ConformanceError.unreachable("\(peer)", reason)
    }
  }

  deinit { close(descriptor) }

  /// Sends a frame, the preamble before the first.
  func send(_ frame: Frame) { send(encoder.encode(frame)) }

  /// Sends bytes; a peer that has hung up takes none, which ``next()`` tells.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write($0) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// The next frame; nil when the stream has ended, or nothing came in time.
  ///
  /// - Throws: `WireError` for bytes that are no frame.
  func next() throws -> Frame? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while ContinuousClock.now < deadline {
      if let frame = try decoder.next() { return frame }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { isEnded = true }
      guard count > 0 else { return nil }
      decoder.append(buffer[..<count])
    }
    return nil
  }

  /// True once the peer has ended the stream.
  private(set) var isEnded = false

  /// Reads on until the peer has ended the link, or said nothing for a while.
  func ending() throws -> Ending {
    while let frame = try next() {
      if case .goodbye(let goodbye) = frame { return .goodbye(goodbye.code, text: goodbye.text) }
    }
    return isEnded ? .closed : .open
  }
}

/// Why a peer could not be looked at.
enum ConformanceError: Error, CustomStringConvertible {
  case unreachable(String, String)
  case noHello(String, found: String)
  case hasOwners(StoreID)

  var description: String {
    switch self {
    case .unreachable(let peer, let reason):
      "connecting to \(peer): \(reason). Give the address where the peer listens, without TLS, on this machine"
    case .noHello(let peer, let found):
      "shaking hands with \(peer): \(found), where a preamble and a hello are expected (`protocol/frames.md`)"
    case .hasOwners(let store):
      "looking at the peer of store \(store): the store has owners, who would have to admit each of the replicas that "
        + "this makes. Give the peer a store of its own without owners, with a UUID of version 4 as its id"
    }
  }
}
