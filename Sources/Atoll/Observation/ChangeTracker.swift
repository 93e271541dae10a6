import AtollStorage
import AtollVocabulary

/// The contents that an observer was last shown, and the difference to the present ones.
///
/// Used where its store may be used.
protocol ChangeTracker: SendableMetatype {
  /// The change that observers are told.
  associatedtype Change

  var store: Store { get }
  /// The commit that was last shown.
  var number: CommitNumber { get }
  /// True if nothing more will come.
  var isOver: Bool { get }
  /// The details of the change that was last reported.
  var details: ChangeDetails { get }
  /// Takes the present as shown; what to tell of it, nil for nothing.
  mutating func start() throws(Store.Error) -> Change?
  /// Moves the store on; nil if nothing changed that the observer asked for.
  mutating func advance() throws(Store.Error) -> Change?
  static func failure(_ error: Store.Error) -> Change?
}

extension ChangeTracker {
  var isOver: Bool { false }
  var commitSignal: CommitSignal { store.commitSignal }
}

extension Store {
  /// Shows the newest state; inside a transaction it is shown already.
  ///
  /// Costs nothing if nobody has committed since, which every observer asks in turn.
  func moveOn() {
    if file.isWriting { return }
    if isPinned, !autorefresh { return }
    let revision = commitSignal.revision
    if isPinned, revision == shownRevision, !commitSignal.ignoresOtherProcesses { return }
    release()
    pin()
    shownRevision = revision
  }
}
