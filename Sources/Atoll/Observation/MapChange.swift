/// A change of an observed map.
public enum MapChange<Collection> {
  /// The entries there are when observation begins.
  case initial(Collection)
  /// Another state; `deletions` are keys of the state before, the others of this one.
  case update(Collection, deletions: [String], insertions: [String], modifications: [String])
  /// Observation ended because the store could not be read.
  case error(any Error)
}
