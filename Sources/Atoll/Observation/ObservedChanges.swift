/// Changes as an asynchronous sequence.
///
/// Iterate where the store belongs, for instance on the main actor for a store of the main thread:
/// each step moves the store on and compares. Changes that come while nobody waits are reported
/// together by the next step.
public struct ObservedChanges<Change>: AsyncSequence {
  public typealias Element = Change

  private let make: () -> Iterator

  init<Tracker: ChangeTracker>(_ make: @escaping () -> Tracker) where Tracker.Change == Change {
    self.make = { Iterator(make()) }
  }

  public func makeAsyncIterator() -> Iterator { make() }

  /// One observer's place among the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let alarm: CommitAlarm
    private var state: any Stepping<Change>

    init<Tracker: ChangeTracker>(_ tracker: Tracker) where Tracker.Change == Change {
      alarm = CommitAlarm(tracker.hub)
      state = Steps(tracker: tracker)
    }

    /// Waits for the next change; nil once the task is cancelled or nothing more can come.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Store.Error) -> Change? {
      while !Task.isCancelled, !state.isOver {
        if let change = try state.step() { return change }
        await alarm.wait()
      }
      return nil
    }
  }
}

/// The steps of a tracker, the first of which shows the present.
private protocol Stepping<Change> {
  associatedtype Change
  var isOver: Bool { get }
  mutating func step() throws(Store.Error) -> Change?
}

private struct Steps<Tracker: ChangeTracker>: Stepping {
  var tracker: Tracker
  var hasBegun = false

  var isOver: Bool { tracker.isOver }

  mutating func step() throws(Store.Error) -> Tracker.Change? {
    if hasBegun { return try tracker.advance() }
    hasBegun = true
    return try tracker.start()
  }
}
