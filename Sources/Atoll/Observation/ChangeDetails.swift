/// The details of a change.
///
/// Blocks that take two arguments are given it with each change, and ``ObservedChanges/detailed``
/// has it with each element.
public struct ChangeDetails: Hashable, Sendable {
  /// The origins of the changes that are reported together; empty for the contents when observation
  /// begins.
  public internal(set) var origins: Set<ChangeOrigin> = []
  /// Elements that changed places, by the old place, ascending.
  ///
  /// Each of them is also among the deletions with its old index, and among the insertions with its
  /// new one. As few as possible are taken to have moved.
  public internal(set) var moves: [Move] = []

  /// One element that changed places.
  public struct Move: Hashable, Sendable {
    /// The index in the state before.
    public let from: Int
    /// The index in this one.
    public let to: Int
  }
}

/// The origin of a change.
public enum ChangeOrigin: Hashable, Sendable {
  /// This process: the store that observes, or another one of the same file.
  case local
  /// Another process that has the file open.
  case process
  /// Another replica, with the author of the write as `atoll log` names it.
  case peer(author: String)
}

/// A change with its details, as ``ObservedChanges/detailed`` has it.
public struct DetailedChange<Change> {
  /// The change, as it is without details.
  public let change: Change
  /// The origins of the change, and the elements that moved.
  public let details: ChangeDetails
}
