import Dispatch
import Foundation

/// The place where a store may be used: one thread, one serial queue, or one actor.
///
/// The main thread, the main queue and the main actor are one place.
struct Confinement {
  private enum Kind { case thread, place, everywhere }

  private let kind: Kind
  /// The thread of the store; for the main place the first one, which needs no further look.
  private let thread: pthread_t?
  /// The place where the observers of one place are called; nil for a thread without a queue.
  let turns: TurnPlace?

  /// To the calling thread.
  init() {
    // With an asynchronous `main`, the main queue has other threads than the first one.
    let isMain = Thread.isMainThread || TurnPlace.main.isCurrent
    kind = isMain ? .place : .thread
    thread = isMain && !Thread.isMainThread ? nil : pthread_self()
    turns = isMain ? .main : nil
  }

  init(to place: TurnPlace) {
    kind = .place
    thread = nil
    turns = place
  }

  /// Of what is frozen.
  static let everywhere = Confinement(kind: .everywhere)

  private init(kind: Kind) {
    self.kind = kind
    thread = nil
    turns = nil
  }

  /// The name of the place, for messages.
  var name: String {
    switch (kind, turns) {
    case (.place, .queue(let queue, _)?): "on the queue '\(queue.label)'"
    case (.place, .actor(let actor)?): "in the actor '\(type(of: actor))'"
    case (.place, _): "on the main thread"
    case (.thread, _): "on a thread of its own"
    case (.everywhere, _): "anywhere"
    }
  }

  /// The name of the place, for code that is there.
  var nameHere: String {
    if case (.thread, _) = (kind, turns) { "on this thread" } else { name }
  }

  /// True if the caller is there.
  @inline(__always)
  var isCurrent: Bool {
    // The common case first.
    if let thread, pthread_equal(thread, pthread_self()) != 0 { return true }
    return kind == .everywhere || turns?.isCurrent ?? false
  }

  /// Tells whether the caller, who is in an actor or in none, is there and stays there.
  ///
  /// An actor may run on the thread of a store at one moment and elsewhere at the next.
  func isThat(of actor: (any Actor)?) -> Bool {
    guard let actor else { return isCurrent }
    return turns?.identity == TurnPlace(actor).identity
  }

  func stop(_ doing: String) -> Never {
    let handingOver =
      "To hand an object over, take a ThreadSafeReference to it, or its snapshot()."
    switch (kind, turns) {
    case (.place, .queue(let queue, _)?):
      Trap.stop(
        "\(doing) outside the queue '\(queue.label)', for which the store was opened. "
          + "Dispatch to that queue, or open another Store where you are. \(handingOver)")
    case (.place, .actor(let actor)?):
      Trap.stop(
        "\(doing) outside the actor '\(type(of: actor))', for which the store was opened. "
          + "Call from that actor, or open another Store where you are. \(handingOver)")
    case (.thread, _), (.place, _), (.everywhere, _):
      Trap.stop(
        "\(doing) on another thread than the one that opened the store. A store and its objects "
          + "belong to one thread. Open another Store there, or open it for a serial queue with "
          + "Store(configuration:queue:), or for an actor with Store.open(configuration:). "
          + handingOver)
    }
  }
}
