public import Dispatch

/// Objects of model classes, so that observers are given objects of the class they observe.
public protocol ObservableObjectBase: ObjectBase, SendableMetatype {}

extension ObjectBase: ObservableObjectBase {}

extension ObservableObjectBase {
  /// Calls `block` whenever the object changes or is deleted, whoever does it: this store, another
  /// thread, another process, or a peer.
  ///
  /// It is told of assignments to the object's own properties, and of each with the stored value
  /// before and now; with `keyPaths` of those named instead, where `"owner.name"` also means the
  /// name of whichever object is linked to. Unknown names stop the process. Calls are made on
  /// `queue`, which must be serial; without one on the queue of the store, or on the main queue. The
  /// observation lasts as long as the token that is returned.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it; see the form with a queue.
  ///
  /// If it is the actor of the object's store, `block` is given this object.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  func observe(
    _ keyPaths: [String]?, on place: TurnPlace?, _ block: ObserverBlock<ObjectChange<Self>>
  ) -> NotificationToken {
    guard let store else { ObjectStart.stopUnmanaged(self) }
    let observers = store.observers(on: place)
    let start = ObjectStart(self, keyPaths, isOwn: observers.belongs(to: store))
    return Observation<ObjectTracker<Self>>(
      observers,
      make: { store throws(Store.Error) in try ObjectTracker(start, in: store) }, block: block
    ).start()
  }

  /// Calls `block` whenever what the key paths lead to changes; see ``observe(keyPaths:on:_:)``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: queue, block)
  }

  /// Calls `block` in an actor whenever what the key paths lead to changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: actor, block)
  }

  /// The changes of the object as an asynchronous sequence, which ends when the object is deleted.
  public func changes(keyPaths: [String]? = nil) -> ObservedChanges<ObjectChange<Self>> {
    guard let store else { ObjectStart.stopUnmanaged(self) }
    let start = ObjectStart(self, keyPaths, isOwn: true)
    return ObservedChanges {
      do throws(Store.Error) {
        return try ObjectTracker<Self>(start, in: store)
      } catch {
        Trap.stop(error.message)
      }
    }
  }
}
