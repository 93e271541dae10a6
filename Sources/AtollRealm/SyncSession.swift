#if Replication
public import Atoll

extension Store {
  /// Realm's name of `Store.sync`.
  public var syncSession: SyncSession? { SyncSession(sync: sync) }
}

/// Realm's view of `Sync`: one session with the node that serves the file.
public final class SyncSession: Sendable {
  /// The state of the exchange.
  public enum State: Sendable {
    /// A node serves the file, and exchange is not suspended.
    case active
    /// No node serves the file, or exchange is suspended.
    case inactive
  }

  /// The state of the link to another replica.
  public enum ConnectionState: Sendable {
    /// Another replica is linked.
    case connected
    /// A node serves the file, and reaches nobody at present.
    case connecting
    /// No node serves the file.
    case disconnected
  }

  /// The direction of changes.
  public enum ProgressDirection: Sendable {
    /// To other replicas.
    case upload
    /// From other replicas.
    case download
  }

  /// The duration of progress reports.
  public enum ProgressMode: Sendable {
    /// Until the token ends.
    case reportIndefinitely
    /// Until all that is on its way when it is asked for has arrived.
    case forCurrentlyOutstandingWork
  }

  /// The part of the changes on their way that has arrived.
  public struct Progress: Sendable {
    /// From 0 to 1.
    public let progressEstimate: Double
    /// True if all of it has arrived.
    public var isTransferComplete: Bool { progressEstimate >= 1 }
  }

  private let sync: Sync

  init(sync: Sync) { self.sync = sync }

  /// True if a node serves the file and exchanges.
  public var state: State {
    guard let status = try? sync.status(), status.isServed, status.pausedSince == nil else {
      return .inactive
    }
    return .active
  }

  /// Has nothing exchanged until ``resume()``; as `Sync.pause()`, for all who use the file.
  ///
  /// - Throws: `Store.Error` if the file cannot be written.
  public func suspend() throws { try sync.pause() }

  /// Has exchange go on.
  ///
  /// - Throws: `Store.Error` if the file cannot be written.
  public func resume() throws { try sync.resume() }

  /// True if another replica is linked.
  public var connectionState: ConnectionState {
    guard let status = try? sync.status(), status.isServed else { return .disconnected }
    return status.peers.contains(where: \.isConnected) ? .connected : .connecting
  }

  /// Returns when every other replica has all that is here, or when all that linked ones have is here.
  ///
  /// - Throws: As `Sync.wait(for:of:timeout:)`.
  public func wait(for direction: ProgressDirection, timeout: Duration = .seconds(30)) async throws
  {
    switch direction {
    case .upload: try await sync.wait(for: .everyone, timeout: timeout)
    case .download: try await sync.waitForDownload(timeout: timeout)
    }
  }

  /// Calls `block` with what has arrived, now and whenever that changes, until the token ends.
  public func addProgressNotification(
    for direction: ProgressDirection, mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> ProgressNotificationToken {
    let task = Task { [sync] in
      var most: UInt64 = 0
      for try await progress in sync.progresses {
        let left = direction == .upload ? progress.toSend : progress.toReceive
        most = max(most, left)
        let progress = Progress(progressEstimate: most == 0 ? 1 : 1 - Double(left) / Double(most))
        block(progress)
        if mode == .forCurrentlyOutstandingWork, progress.isTransferComplete { return }
      }
    }
    return ProgressNotificationToken(task)
  }

  /// Ends notifications of progress when it goes.
  public final class ProgressNotificationToken: Sendable {
    private let task: Task<Void, any Error>

    fileprivate init(_ task: Task<Void, any Error>) { self.task = task }

    deinit { invalidate() }

    /// Ends them now.
    public func invalidate() { task.cancel() }
  }
}
#endif
