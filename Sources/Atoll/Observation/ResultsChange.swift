/// A change of observed results.
public enum ResultsChange<Collection> {
  /// The objects there are when observation begins.
  case initial(Collection)
  /// Another state; `deletions` are indices of the state before, the others of this one.
  case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
  /// Observation ended because the store could not be read.
  case error(any Error)
}
