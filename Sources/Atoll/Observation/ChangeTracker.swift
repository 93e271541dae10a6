import AtollStorage

/// What an observer was last shown, and how the present differs from it.
///
/// Used where its store may be used.
protocol ChangeTracker: SendableMetatype {
  /// What observers are told.
  associatedtype Change

  var hub: StoreHub { get }
  /// Whether nothing more will come.
  var isOver: Bool { get }
  /// Takes the present as shown; what to tell of it, nil for nothing.
  mutating func start() throws(Store.Error) -> Change?
  /// Moves the store on; nil if nothing changed that the observer asked for.
  mutating func advance() throws(Store.Error) -> Change?
  static func failure(_ error: Store.Error) -> Change
}

extension ChangeTracker {
  var isOver: Bool { false }
}

extension Store {
  /// Shows the newest state; inside a transaction it is shown already.
  func moveOn() {
    if !file.isWriting { refresh() }
  }
}
