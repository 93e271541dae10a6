import AtollChanges
import AtollTransport
import AtollVocabulary
import AtollWire
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// `atoll-cluster conform`, against Atoll's own daemon and against peers that do less.
@Suite struct ConformanceTests {
  @Test(.timeLimit(.minutes(5)))
  func `issue 32.7: the daemon passes every check`() throws {
    let (folder, cleanUp) = (TemporaryFolder(), CleanUp())
    defer { cleanUp.run() }
    let daemon = try DaemonNode(
      name: "A", in: folder.url, storeID: StoreID(high: 0x4000, low: 1 << 63), cleanUp: cleanUp)
    try daemon.start(peers: [])
    let program = try Program(
      Program.sibling("atoll-cluster"),
      ["conform", "--peer", "127.0.0.1:\(daemon.port)", "--programs", "2", "--seed", "7"],
      name: "conform", cleanUp: cleanUp)
    let (code, lines) = try program.end(within: .seconds(240))
    #expect(code == 0, "\(lines.joined(separator: "\n"))")
    #expect(lines.count { $0.hasPrefix("ok  ") } == ConformanceCheck.all.count + 2)
    #expect(daemon.terminate())
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 32.7: a peer that takes everything fails all checks but that it takes something`()
    throws
  {
    let peer = try CarelessPeer()
    defer { peer.stop() }
    let conformance = try Conformance(
      of: Endpoint(host: "127.0.0.1", port: peer.port), timeout: .milliseconds(200))
    for check in ConformanceCheck.all {
      let found = check.found(at: conformance)
      #expect((found == nil) == (check.rule == 8), "\(check.name): \(found ?? "passed")")
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `issue 32.7: who is no peer is told so`() throws {
    let error = #expect(throws: ConformanceError.self) {
      _ = try Conformance(of: Endpoint(host: "127.0.0.1", port: 1), timeout: .seconds(1))
    }
    guard case .unreachable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

/// Says hello, says that it holds every changeset that comes, and minds nothing.
private final class CarelessPeer: Sendable {
  let port: UInt16
  private let listener: Int32

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name -> Bool in
        bind(listener, name, size) == 0 && listen(listener, 8) == 0
          && getsockname(listener, name, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread.detachNewThread {
      while case let link = accept(listener, nil, nil), link >= 0 {
        Thread.detachNewThread { Self.serve(link) }
      }
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func serve(_ link: Int32) {
    defer { close(link) }
    var encoder = FrameEncoder()
    let author = Author(replica: ReplicaID(high: 1, low: 1), incarnation: Incarnation(1))
    var held = Holdings.none
    func say(_ frame: Frame) {
      let bytes = encoder.encode(frame)
      _ = bytes.withUnsafeBytes {
        send(link, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
    say(
      .hello(
        Hello(
          storeID: StoreID(high: 0x4000, low: 1 << 63), author: author, agent: "careless",
          holdings: held)))
    var decoder = FrameDecoder()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = recv(link, &buffer, buffer.count, 0), count > 0 {
      decoder.append(buffer[..<count])
      while let frame = try? decoder.next() {
        guard case .changesets(let runs) = frame else { continue }
        for run in runs {
          _ = held.adopt(ChangesetID(author: run.author, sequence: run.last, hash: run.headHash))
        }
        say(.progress(held))
      }
    }
  }
}
