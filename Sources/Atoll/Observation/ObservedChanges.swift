/// Changes as an asynchronous sequence.
///
/// Iterate where the store belongs, for instance on the main actor for a store of the main thread:
/// each step moves the store on and compares. Changes that come while nobody waits are reported
/// together by the next step, so nothing piles up behind a slow loop.
public struct ObservedChanges<Change>: AsyncSequence {
  public typealias Element = Change

  private let make: () -> any Stepping<Change>

  init<Tracker: ChangeTracker>(_ make: @escaping () -> Tracker) where Tracker.Change == Change {
    self.make = {
      let tracker = make()
      tracker.store.checkObservable()
      return Steps(tracker: tracker)
    }
  }

  private init(steps make: @escaping () -> any Stepping<Change>) { self.make = make }

  public func makeAsyncIterator() -> Iterator { Iterator(make()) }

  /// The same changes, and of each who made it and what changed places.
  public var detailed: ObservedChanges<DetailedChange<Change>> {
    ObservedChanges<DetailedChange<Change>>(steps: { [make] in DetailedSteps(steps: make()) })
  }

  /// The same changes as something made of each.
  func mapped<Other>(_ make: @escaping (Change) -> Other) -> ObservedChanges<Other> {
    ObservedChanges<Other>(steps: { [steps = self.make] in
      MappedSteps(steps: steps(), make: make)
    })
  }

  /// One observer's place among the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let alarm: CommitAlarm
    private var state: any Stepping<Change>

    fileprivate init(_ state: any Stepping<Change>) {
      alarm = CommitAlarm(state.commitSignal)
      self.state = state
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
  var commitSignal: CommitSignal { get }
  var isOver: Bool { get }
  var details: ChangeDetails { get }
  mutating func step() throws(Store.Error) -> Change?
}

private struct Steps<Tracker: ChangeTracker>: Stepping {
  var tracker: Tracker
  var hasBegun = false

  var commitSignal: CommitSignal { tracker.commitSignal }
  var isOver: Bool { tracker.isOver || tracker.store.isClosed }
  var details: ChangeDetails { tracker.details }

  mutating func step() throws(Store.Error) -> Tracker.Change? {
    if hasBegun { return try tracker.advance() }
    hasBegun = true
    return try tracker.start()
  }
}

/// Other steps, with what is known besides.
private struct DetailedSteps<Change>: Stepping {
  var steps: any Stepping<Change>

  var commitSignal: CommitSignal { steps.commitSignal }
  var isOver: Bool { steps.isOver }
  var details: ChangeDetails { steps.details }

  mutating func step() throws(Store.Error) -> DetailedChange<Change>? {
    try steps.step().map { DetailedChange(change: $0, details: steps.details) }
  }
}

/// Other steps, each made into something else.
private struct MappedSteps<Other, Change>: Stepping {
  var steps: any Stepping<Other>
  let make: (Other) -> Change

  var commitSignal: CommitSignal { steps.commitSignal }
  var isOver: Bool { steps.isOver }
  var details: ChangeDetails { steps.details }

  mutating func step() throws(Store.Error) -> Change? { try steps.step().map(make) }
}
