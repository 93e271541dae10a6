import AtollEventLoop
import AtollVocabulary

/// The loopback between daemons, with a place on every link where bytes can be held up or dropped.
///
/// Each link has a listener of its own, which the dialing daemon takes for its peer.
actor FaultyNetwork {
  private let loop: EventLoop
  private var links: [LinkName: FaultyLink] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// - Throws: `EventLoopError` when the system has no descriptors or threads left.
  init() throws(EventLoopError) {
    loop = try EventLoop(name: "atoll-faults")
  }

  /// Opens a link; `port` is asked at each connection where its listening node is.
  ///
  /// - Returns: the port that the dialing node is to be told.
  /// - Throws: `EventLoopError` when the system gives no port.
  func open(
    _ name: LinkName, to port: @escaping @Sendable () -> UInt16
  ) throws(EventLoopError) -> UInt16 {
    let link = try FaultyLink(loop: loop, port: port)
    links[name] = link
    return link.port
  }

  /// Sets the condition of the links that `isMeant` names.
  func set(_ condition: LinkCondition, where isMeant: @Sendable (LinkName) -> Bool) {
    for (name, link) in links where isMeant(name) { link.condition = condition }
  }

  /// Closes every link and ends the network's thread.
  nonisolated func stop() async { await loop.stop() }
}

/// One link: its listener, and the connections that pass through it.
private final class FaultyLink {
  private let loop: EventLoop
  private let destination: () -> UInt16
  private var listener: TCPListener?
  private var connections: [ObjectIdentifier: FaultyConnection] = [:]

  var condition = LinkCondition.healthy {
    didSet { for connection in connections.values { connection.condition = condition } }
  }

  init(loop: EventLoop, port: @escaping () -> UInt16) throws(EventLoopError) {
    self.loop = loop
    destination = port
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else { return }
    listener = try TCPListener(address: address, loop: loop) { [weak self] in self?.accept($0) }
  }

  var port: UInt16 { listener?.address.port ?? 0 }

  private func accept(_ stream: ByteStream) {
    guard condition != .broken,
      let address = SocketAddress(host: "127.0.0.1", port: destination()), address.port > 0
    else { return stream.close() }
    let connection = FaultyConnection(
      dialer: stream, listener: ByteStream(connectingTo: address, loop: loop),
      condition: condition)
    connections[ObjectIdentifier(connection)] = connection
    connection.onClose = { [weak self] in self?.connections[ObjectIdentifier($0)] = nil }
  }
}

/// Two streams, and what goes from each to the other.
private final class FaultyConnection {
  var onClose: ((FaultyConnection) -> Void)?
  private let streams: [ByteStream]
  private let there: FaultyPipe
  private let back: FaultyPipe

  var condition: LinkCondition {
    didSet { if oldValue != condition { adjust() } }
  }

  init(dialer: ByteStream, listener: ByteStream, condition: LinkCondition) {
    streams = [dialer, listener]
    there = FaultyPipe(from: dialer, to: listener)
    back = FaultyPipe(from: listener, to: dialer)
    self.condition = condition
    for stream in streams { stream.onClose = { [weak self] _ in self?.close() } }
    dialer.onDrain = { [weak self] in self?.back.pump() }
    listener.onDrain = { [weak self] in self?.there.pump() }
    listener.onConnect = { [weak self] in self?.begin() }
    adjust()
  }

  private func begin() {
    there.begin()
    back.begin()
  }

  private func adjust() {
    guard condition != .broken else { return close() }
    there.condition = condition
    back.condition = condition
  }

  private func close() {
    there.close()
    back.close()
    for stream in streams { stream.close() }
    onClose?(self)
    onClose = nil
  }
}
