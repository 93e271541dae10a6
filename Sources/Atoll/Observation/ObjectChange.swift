/// A change of an observed object.
public enum ObjectChange<T> {
  /// Observation ended because the store could not be read.
  case error(any Error)
  /// Some of its properties were assigned, whether or not to other values.
  case change(T, [PropertyChange])
  /// It was deleted; nothing more will come.
  case deleted
}

/// One property that changed.
public struct PropertyChange {
  /// The name of the property.
  public let name: String
  /// The stored value before; nil for collections (rule 64).
  public let oldValue: Any?
  /// The stored value now; nil for collections.
  public let newValue: Any?
}
