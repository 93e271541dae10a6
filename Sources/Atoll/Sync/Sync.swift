#if Replication
import AtollNode
import AtollStorage
import AtollVocabulary

extension Store {
  /// The other replicas of the store: what each has, and waiting for it.
  ///
  /// It may be kept and used on any thread, and outlives the store.
  public var sync: Sync { Sync(configuration, commitSignal, node?.embedded) }

  /// All that this store shows, to wait until others have it too.
  ///
  /// After a write it includes that write.
  public var position: Sync.Position {
    attempt("reading the store's position") { file throws(StorageError) in
      Sync.Position(vector: try file.appliedVector())
    }
  }
}

/// The replicas of a store, their changesets, and the process that serves the file here.
///
/// Everything is read from the file and from what the node that serves it writes beside it; so all of
/// it works without a node too, and then tells what was last known. What is told of another
/// replica it has said itself, to this node or to others between, and it is on its disk: nothing is
/// ever taken for granted.
///
/// ```swift
/// try store.write { store.add(order) }
/// try await store.sync.wait(for: .peer("backup"), timeout: .seconds(10))
/// ```
public final class Sync: Sendable {
  /// A state of a store, as the changesets that led to it.
  public struct Position: Hashable, Sendable {
    let vector: VersionVector
  }

  /// The replicas to wait for.
  public enum Level: Hashable, Sendable {
    /// It is on this machine's disk, where a crash does not take it.
    case localDurable
    /// A replica by its name, or by the beginning of its id, at least eight digits, has applied it.
    ///
    /// All of several that have one name.
    case peer(String)
    /// So many other replicas have applied it.
    case peers(atLeast: Int)
    /// Every other replica that exists and is not retired has applied it, connected or not.
    ///
    /// Never true as long as no other replica was met.
    case everyone
  }

  let configuration: Store.Configuration
  private let commitSignal: CommitSignal
  /// The node in this program, if there is one.
  private let node: EmbeddedNode?

  init(_ configuration: Store.Configuration, _ commitSignal: CommitSignal, _ node: EmbeddedNode?) {
    self.configuration = configuration
    self.commitSignal = commitSignal
    self.node = node
  }

  // MARK: Looking

  /// Returns the present status.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be read.
  public func status() throws(Store.Error) -> Status {
    try reading { file throws(StorageError) in try Status(file, trouble: node?.trouble) }
  }

  /// Returns the changes that are still on their way, to others and from them.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be read.
  public func progress() throws(Store.Error) -> Progress {
    try reading { file throws(StorageError) in try Progress(file) }
  }

  /// The status now, and again after each change, until the loop ends.
  public var statuses: AsyncThrowingStream<Status, any Error> { changes { try $0.status() } }

  /// The changes that are still on their way, now and after each change, until the loop ends.
  public var progresses: AsyncThrowingStream<Progress, any Error> {
    changes { try $0.progress() }
  }

  private func changes<Value: Hashable & Sendable>(
    _ look: @escaping @Sendable (Sync) throws -> Value
  ) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        let alarm = CommitAlarm(commitSignal)
        var last: Value?
        do {
          while !Task.isCancelled {
            let value = try look(self)
            if value != last { continuation.yield(value) }
            last = value
            await alarm.wait()
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: Pausing

  /// Has nothing exchanged with other replicas until ``resume()``, by whatever node serves the file.
  ///
  /// Writing goes on, and so do other processes with the same file. It lasts beyond the end of the
  /// application and of the node; ``Status/pausedSince`` tells of it, and `atoll resume` ends it too.
  ///
  /// The node hears of it a moment later, and what it is sending still arrives. Where that matters, wait until
  /// no peer in ``statuses`` is connected.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be written.
  public func pause() throws(Store.Error) {
    try configuration.opening(toWrite: true) { file throws(StorageError) in try file.pause() }
  }

  /// Has exchange go on; nothing happens if it was not paused.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be written.
  public func resume() throws(Store.Error) {
    try configuration.opening(toWrite: true) { file throws(StorageError) in try file.resume() }
  }

  // MARK: Waiting

  /// Returns as soon as others have something.
  ///
  /// - Parameters:
  ///   - level: Who is to have it.
  ///   - position: What; nil for all that the store has when this is called.
  ///   - timeout: How long at most. Nothing is given up by its end: the exchange goes on.
  /// - Throws: ``WaitError`` with who is missing and why; `CancellationError`; ``Store/Error`` if the
  ///   file cannot be read.
  public func wait(
    for level: Level, of position: Position? = nil, timeout: Duration = .seconds(30)
  ) async throws {
    let position = try position ?? here()
    try await wait("for \(level)", timeout) { file throws(StorageError) in
      try Missing.list(file, level, position.vector)
    }
  }

  /// Returns as soon as all that connected replicas are known to have is here.
  ///
  /// - Throws: As ``wait(for:of:timeout:)``; also if no replica is connected at the end.
  public func waitForDownload(timeout: Duration = .seconds(30)) async throws {
    try await wait("for what others have", timeout) { file throws(StorageError) in
      try Missing.listForDownload(file)
    }
  }

  private func here() throws(Store.Error) -> Position {
    try reading { file throws(StorageError) in Position(vector: try file.appliedVector()) }
  }

  /// Looks again whenever somebody commits or a peer is heard of, and at the end.
  private func wait(
    _ doing: String, _ timeout: Duration,
    _ missing: (StoreFile) throws(StorageError) -> [Missing]
  ) async throws {
    let end = ContinuousClock.now.advanced(by: timeout)
    let alarm = CommitAlarm(commitSignal)
    while true {
      try Task.checkCancellation()
      let isLast = ContinuousClock.now >= end
      let missing = try reading(missing)
      if missing.isEmpty { return }
      if isLast {
        let isServed = StoreServing.isServed(configuration.path)
        let isPaused = try reading { file throws(StorageError) in try file.pausedSince() } != nil
        throw WaitError(
          waiting: doing, timeout: timeout, missing: missing, isServed: isServed,
          isPaused: isPaused)
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await alarm.wait() }
        group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Opens the file for a look.
  private func reading<Result>(
    _ body: (StoreFile) throws(StorageError) -> Result
  ) throws(Store.Error) -> Result {
    try configuration.opening(toWrite: false, body)
  }
}
#endif
