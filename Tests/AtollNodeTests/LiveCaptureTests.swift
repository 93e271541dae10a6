import AtollChanges
import AtollEventLoop
import AtollNode
import AtollStorage
import AtollVocabulary
import AtollWire
import Foundation
import LoopTestKit
import TestKit
import Testing

/// The bytes that two nodes really exchange, read by Atoll and by `protocol/tools/decode.py`.
@Suite(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
struct LiveCaptureTests {
  @Test func `a decoder in another language says the same of a live link, both ways`() async throws
  {
    let capture = Shared(Capture())
    try await withFolder { folder in
      let here = try TestApplication(folder + "/a")
      let there = try TestApplication(folder + "/b")
      try here.write(0..<40)
      try there.write(100..<103, nameBytes: 2 * Limits.batchBytes)
      try there.write(103..<104)
      try await withNode(folder + "/a") { port in
        try await withRelay(to: port, capture) { relayPort in
          try await withNode(folder + "/b", peers: [relayPort]) { _ in
            try await there.wait(for: try here.file.appliedVector())
            try await here.wait(for: try there.file.appliedVector())
            try here.write(200..<201)
            try await there.wait(for: try here.file.appliedVector())
          }
        }
      }
    }
    let captured = capture.withLock { $0 }
    for bytes in [captured.fromDialer, captured.fromListener] {
      let frames = try compare(bytes)
      // Once more without compression, so that Python's own library is enough for all of it.
      var encoder = FrameEncoder(compression: Compression(from: .max))
      var plain: [UInt8] = []
      for frame in frames.all { encoder.encode(frame, into: &plain) }
      let read = try compare(plain)
      #expect(read.all == frames.all)
      #expect(read.understood == Set(frames.all.map(\.kind)))
      #expect(read.understood.isSuperset(of: [.hello, .changesets, .progress]))
      if bytes == captured.fromDialer {
        #expect(read.understood.isSuperset(of: [.chunk, .goodbye]))
      } else {
        #expect(read.understood.contains(.chunkReceipt))
      }
    }
  }

  /// Compares every frame's text; also says of which kinds all was understood.
  private func compare(_ bytes: [UInt8]) throws -> (all: [Frame], understood: Set<Frame.Kind>) {
    let output = try IndependentDecoder.output(ofStream: bytes)
    var decoder = FrameDecoder()
    decoder.append(bytes)
    var frames: [Frame] = []
    var understood: Set<Frame.Kind> = []
    while let frame = try decoder.next() {
      frames.append(frame)
      let number = frames.count
      let found = try #require(output["frame \(number)"])
      // A body that is compressed is beyond Python's own library.
      if found == ["means: changesets", "means: compressed"] { continue }
      if found.count == 1, found[0].contains("compressed") { continue }
      let inside = try Self.changesets(in: frame).flatMap { author, bytes in
        try Changeset(decoding: bytes, author: author).lines
      }
      #expect(found == (frame.lines + inside).map { "means: \($0)" }, "frame \(number)")
      understood.insert(frame.kind)
    }
    #expect(output.count == frames.count, "frames that only the other decoder sees")
    return (frames, understood)
  }

  private static func changesets(in frame: Frame) -> [(Author, [UInt8])] {
    guard case .changesets(let runs) = frame else { return [] }
    return runs.flatMap { run in run.changesets.map { (run.author, $0) } }
  }
}

/// The bytes that passed over a relay, each way.
private struct Capture {
  var fromDialer: [UInt8] = []
  var fromListener: [UInt8] = []
}

/// Lends the port of a relay that takes one connection, passes all on to `port` and notes it.
private func withRelay(
  to port: UInt16, _ capture: Shared<Capture>, _ body: (UInt16) async throws -> Void
) async throws {
  try await withLoop { place in
    let relayPort = try await place.run { place in
      let address = try #require(SocketAddress(host: "127.0.0.1", port: port))
      let listener = try TCPListener(address: try anyPort, loop: place.loop) { dialer in
        let listener = ByteStream(connectingTo: address, loop: place.loop)
        listener.onConnect = {
          dialer.startReading()
          listener.startReading()
        }
        dialer.onBytes = { bytes in
          capture.withLock { $0.fromDialer += bytes }
          listener.write(Array(bytes))
        }
        listener.onBytes = { bytes in
          capture.withLock { $0.fromListener += bytes }
          dialer.write(Array(bytes))
        }
        dialer.onClose = { _ in listener.end() }
        listener.onClose = { _ in dialer.end() }
      }
      place.kept.append(listener)
      return listener.address.port
    }
    try await body(relayPort)
  }
}
