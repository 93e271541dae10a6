/// Why a side gives a link up: a code for programs, a sentence for people.
package struct Goodbye: Hashable, Sendable {
  package var code: GoodbyeCode
  package var text: String

  package init(_ code: GoodbyeCode, _ text: String) {
    self.code = code
    self.text = text
  }
}

/// The reasons a link ends that a program may act on.
///
/// The raw value is the code in bytes.
package enum GoodbyeCode: UInt8, Hashable, Sendable, CaseIterable {
  /// A code this build does not know.
  case unspecified = 0
  /// The process is stopping; connecting again later is welcome.
  case stopping = 1
  /// No protocol version in common.
  case version = 2
  /// Another store's replica.
  case store = 3
  /// The peer is the replica itself.
  case ownself = 4
  /// Another link to the same peer is kept instead.
  case duplicate = 5
  /// Bytes that are no frame, or a frame out of turn.
  case malformed = 6
  /// A changeset was refused: broken chain, unreadable bytes, a bound exceeded.
  case refused = 7
  /// Nothing was heard for too long.
  case silent = 8
  /// The sender's file could not be read or written.
  case storage = 9
  /// More links than the sender accepts, or more bytes than it agreed to.
  case overload = 10
  /// An author turned out to have several histories; what was said of it has other names now.
  case branched = 11
  /// The receiver is not in the sender's roster, or no longer.
  case stranger = 12
  /// The code is wrong, used, or too old.
  case unpaired = 13
  /// The sender's store exchanges nothing until somebody resumes it.
  case paused = 14
  /// An owner of the store has removed the receiver's replica.
  case removed = 15
}

extension Goodbye {
  /// The goodbye to a node that is not in the roster; it names no store.
  package static let stranger = Goodbye(
    .stranger,
    "this node does not know you; ask its operator to run `atoll peer accept` for you")
  /// The goodbye of a node whose store is paused.
  package static let paused = Goodbye(
    .paused,
    "exchange is paused there; `atoll resume`, or the application that paused it, ends that")
}

extension Goodbye: CustomStringConvertible {
  package var description: String { "\(text) (\(code))" }
}
