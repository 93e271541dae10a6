package import AtollEventLoop
package import AtollVocabulary
package import AtollWire

/// The socket beside a store, `<store>-socket`, where its processes tell each other of commits.
///
/// A client says hello, and `committed` after its commits; whatever commit is heard of, from a
/// client, a peer or the file, every client is told that did not make it.
package final class LocalSocket {
  private struct Client {
    let id: Int
    let link: LocalLink
    /// The last commit the client was told of: it will look at the file up to there.
    var told: CommitNumber
    /// The last commit it announced; it need not have looked at those before.
    var made: CommitNumber
    /// True once it has said hello, and wants to be told.
    var isGreeted = false
  }

  /// Called when a client committed.
  package var onCommitted: (() -> Void)?

  private let compression: Compression
  private var listener: UnixListener?
  private var clients: [Client] = []
  private var lastID = 0
  /// The last commit heard of.
  private var latest: CommitNumber

  /// Listens beside the store.
  ///
  /// - Throws: `EventLoopError` where sockets cannot have such a path, or the folder is read-only;
  ///   processes then notice each other by the file alone.
  package init(
    _ paths: StorePaths, latest: CommitNumber, compression: Compression, loop: EventLoop
  ) throws(EventLoopError) {
    self.latest = latest
    self.compression = compression
    listener = try UnixListener(path: paths.socket, loop: loop) {
      [weak self] stream in
      self?.accept(stream)
    }
  }

  /// The number of processes that are connected.
  package var clientCount: Int { clients.count }

  /// Tells of the commits after `previous` up to `number`.
  package func announce(_ number: CommitNumber, after previous: CommitNumber) {
    latest = max(latest, number)
    let isSingle = previous.rawValue + 1 == number.rawValue
    for index in clients.indices where !(isSingle && clients[index].made == number) {
      tell(index, number)
    }
  }

  /// Has everybody look at the file, although nobody committed: something else in it changed.
  package func nudge() {
    for client in clients where client.isGreeted {
      client.link.send(.committed(number: UInt64(clamping: latest.rawValue)))
    }
  }

  package func close() {
    listener?.close()
    listener = nil
    for client in clients { client.link.close() }
    clients = []
    onCommitted = nil
  }

  private func accept(_ stream: ByteStream) {
    guard clients.count < Limits.localClients else { return stream.close() }
    lastID += 1
    let id = lastID
    let link = LocalLink(stream: stream, compression: compression)
    clients.append(Client(id: id, link: link, told: CommitNumber(0), made: CommitNumber(0)))
    link.onFrame = { [weak self] frame in self?.received(frame, from: id) }
    link.onClose = { [weak self] _ in self?.clients.removeAll { $0.id == id } }
    link.start()
  }

  private func received(_ frame: Frame, from id: Int) {
    guard let author = clients.firstIndex(where: { $0.id == id }) else { return }
    switch frame {
    case .localHello:
      // From here on it is told of everything; what was before, it shall look for.
      clients[author].isGreeted = true
      clients[author].link.send(.committed(number: UInt64(clamping: latest.rawValue)))
    case .committed(let number):
      let number = CommitNumber(Int64(clamping: number))
      latest = max(latest, number)
      clients[author].made = number
      for index in clients.indices where index != author { tell(index, number) }
      onCommitted?()
    case .hello, .goodbye, .changesets, .chunk, .chunkReceipt, .progress, .request, .keepAlive,
      .prune,
      .acknowledgements, .digest, .question, .answer, .pair, .paired, .declined, .credit, .clock,
      .expedited, .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage,
      .backfillRequest, .backfill:
      clients[author].link.close()
    }
  }

  private func tell(_ index: Int, _ number: CommitNumber) {
    guard clients[index].told < number else { return }
    clients[index].told = number
    clients[index].link.send(.committed(number: UInt64(clamping: number.rawValue)))
  }
}
