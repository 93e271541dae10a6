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
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    guard let store else { ObjectStart.stopUnmanaged(self) }
    let queue = store.observers(on: queue)
    let start = ObjectStart(self, keyPaths, isOwn: queue === store.confinement.queue)
    let make = store.maker(for: queue)
    return Observation<ObjectTracker<Self>>(
      store.hub, on: queue,
      make: { () throws(Store.Error) in try ObjectTracker(start, in: try make()) }, block: block
    ).start()
  }

  /// Calls `block` whenever what the key paths lead to changes; see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: queue, block)
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
