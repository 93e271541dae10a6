import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire

/// Where peers connect, and which of the node's stores each of them means.
///
/// With one store every link is its hub's from the first byte. With several, the peer's hello names
/// the store; a link that names none of them is given to the first, which refuses it with words.
final class Reception {
  private let loop: EventLoop
  private let compression: Compression
  private var listener: TCPListener?
  private var hubs: [Hub] = []
  /// Links that have not said hello yet, with the timers that bound their silence.
  private var waiting: [ObjectIdentifier: (link: Link, timer: LoopTimer)] = [:]

  /// Listens at once; whoever connects before ``open(to:)`` is turned away.
  init(
    address: SocketAddress, inherited: Int32?, loop: EventLoop, compression: Compression
  ) throws(EventLoopError) {
    self.loop = loop
    self.compression = compression
    let handler = { [weak self] (stream: ByteStream) -> Void in self?.accept(stream) }
    listener =
      if let inherited {
        try TCPListener(inherited: inherited, boundTo: address, loop: loop, handler: handler)
      } else {
        try TCPListener(address: address, loop: loop, handler: handler)
      }
  }

  /// Where it listens, with the port it got.
  var address: SocketAddress? { listener?.address }

  func open(to hubs: [Hub]) { self.hubs = hubs }

  func close() {
    listener?.close()
    listener = nil
    hubs = []
    for (link, timer) in waiting.values {
      timer.close()
      link.close()
    }
    waiting = [:]
  }

  private func accept(_ stream: ByteStream) {
    guard let first = hubs.first, waiting.count < Limits.peers else { return stream.close() }
    let link = Link(stream: stream, compression: compression)
    if hubs.count == 1 { return first.accept(link, from: link.peerName) }
    wait(for: link)
  }

  /// Keeps a link until it has said which store it means, or for as long as a handshake may take.
  private func wait(for link: Link) {
    let timer = LoopTimer(loop: loop) { [weak self] in
      self?.forget(link)
      link.close()
    }
    timer.start(after: Limits.handshakeTimeout)
    waiting[ObjectIdentifier(link)] = (link, timer)
    link.onFrame = { [weak self] frame in self?.pass(link, frame) }
    link.onMalformed = { [weak self] error in
      self?.forget(link)
      link.send(.goodbye(Goodbye(.malformed, "\(error)")))
      link.close()
    }
    link.onClose = { [weak self] _ in self?.forget(link) }
    link.start()
  }

  private func pass(_ link: Link, _ frame: Frame) {
    forget(link)
    var meant = hubs.first
    if case .hello(let hello) = frame {
      meant = hubs.first { $0.storeID == hello.storeID } ?? meant
    } else if case .question(let question) = frame {
      meant = hubs.first { $0.storeID == question.storeID } ?? meant
    }
    guard let meant else { return link.close() }
    meant.accept(link, from: link.peerName, first: frame)
  }

  private func forget(_ link: Link) {
    waiting.removeValue(forKey: ObjectIdentifier(link))?.timer.close()
  }
}
