import AtollEventLoop
import AtollVocabulary
import AtollWire
private import Foundation

/// The part of a ``StoreWatch`` that lives on its loop.
///
/// Connected to the node's socket, it relies on it; otherwise it watches the file, and tries the
/// socket again after pauses that double. Its handlers retain it until ``stop()``.
actor StoreWatchPlace {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let paths: StorePaths
  private let sender: SenderSlot
  private let onCommit: @Sendable () -> Void
  private let compression = Compression()
  private var link: LocalLink?
  private var fileWatch: CommitFileWatch?
  private var reconnectTimer: LoopTimer?
  private var pause = Limits.localReconnectFirstDelay
  private var isStopped = false

  init(
    _ paths: StorePaths, loop: EventLoop, sender: SenderSlot,
    onCommit: @escaping @Sendable () -> Void
  ) {
    self.paths = paths
    self.loop = loop
    self.sender = sender
    self.onCommit = onCommit
  }

  func start() {
    guard !isStopped else { return }
    reconnectTimer = LoopTimer(loop: loop) { self.connect() }
    watchFile()
    connect()
  }

  func stop() {
    isStopped = true
    sender.current = nil
    reconnectTimer?.close()
    fileWatch?.close()
    link?.close()
    (reconnectTimer, fileWatch, link) = (nil, nil, nil)
  }

  private func watchFile() {
    guard fileWatch == nil else { return }
    fileWatch = CommitFileWatch(paths, loop: loop, handler: onCommit)
  }

  private func connect() {
    guard !isStopped else { return }
    let stream = ByteStream(connectingTo: paths.socket, loop: loop)
    let link = LocalLink(stream: stream, compression: compression)
    self.link = link
    stream.onConnect = { self.connected(link) }
    link.onFrame = { frame in self.received(frame) }
    link.onClose = { _ in self.disconnected() }
  }

  private func connected(_ link: LocalLink) {
    guard !isStopped else { return link.close() }
    pause = Limits.localReconnectFirstDelay
    link.start()
    let process = ProcessInfo.processInfo
    link.send(
      .localHello(LocalHello(processID: process.processIdentifier, name: process.processName)))
  }

  /// The first frame answers the hello: from then on the node tells of everything.
  private func received(_ frame: Frame) {
    guard case .committed = frame, !isStopped else { return }
    if sender.current == nil { sender.current = link?.makeSender() }
    fileWatch?.close()
    fileWatch = nil
    onCommit()
  }

  private func disconnected() {
    link = nil
    sender.current = nil
    guard !isStopped else { return }
    watchFile()
    reconnectTimer?.start(after: pause)
    pause = min(pause * 2, Limits.localReconnectLastDelay)
  }
}
