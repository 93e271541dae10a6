import CMetadata
import Dispatch
import Foundation
import Synchronization

/// A place where things are done one after the other: a serial queue or an actor.
enum TurnPlace: Sendable {
  /// The main queue, which is the main actor's as well.
  case main
  /// Another queue, and its number.
  case queue(DispatchQueue, Int)
  case actor(any Actor)

  enum Identity: Hashable {
    case main
    case queue(Int)
    case actor(ObjectIdentifier)
  }

  init(_ queue: DispatchQueue) {
    let number = Self.number(of: queue)
    self = number == Self.mainNumber ? .main : .queue(queue, number)
  }

  init(_ actor: any Actor) { self = actor === MainActor.shared ? .main : .actor(actor) }

  var identity: Identity {
    switch self {
    case .main: .main
    case .queue(_, let number): .queue(number)
    case .actor(let actor): .actor(ObjectIdentifier(actor))
    }
  }

  /// True if the caller is here.
  var isCurrent: Bool {
    switch self {
    case .main: Thread.isMainThread || Self.isInQueue(Self.mainNumber)
    case .queue(_, let number): Self.isInQueue(number)
    case .actor(let actor): Self.isCurrent(actor)
    }
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .main: Task { @MainActor in body() }
    case .queue(let queue, _): queue.async(execute: body)
    case .actor(let actor): Task { await Self.run(body, in: actor) }
    }
  }

  private static func run(_ body: @Sendable () -> Void, in actor: isolated any Actor) { body() }

  // MARK: Telling places apart

  /// The number has been asked for by now, which is what gives it to the queue.
  private static func isInQueue(_ number: Int) -> Bool {
    DispatchQueue.getSpecific(key: key) == number
  }

  private static let key = DispatchSpecificKey<Int>()
  private static let next = Mutex(0)
  private static let mainNumber = number(of: .main)

  /// Returns the identity of a queue; not the object, of which there is one for each mention of
  /// `main`.
  private static func number(of queue: DispatchQueue) -> Int {
    next.withLock { next in
      if let number = queue.getSpecific(key: key) { return number }
      next += 1
      queue.setSpecific(key: key, value: next)
      return next
    }
  }

  private static func isCurrent(_ actor: any Actor) -> Bool {
    let executor = unsafeBitCast(
      actor.unownedExecutor, to: (identity: UnsafeRawPointer?, implementation: UInt).self)
    let answer = atoll_executor_is_current(executor.identity, executor.implementation)
    if answer < 0 { actor.preconditionIsolated("Using a store outside the actor of the store.") }
    return answer != 0
  }
}
