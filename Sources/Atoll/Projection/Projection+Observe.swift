public import Dispatch

/// Projections, so that observers are given projections of the class they observe.
public protocol ObservableProjection: AnyObject, SendableMetatype, ThreadConfined {
  /// The class whose objects are projected.
  associatedtype Root: ObjectBase
  /// A projection of an object.
  init(projecting object: Root)
  /// The object that is projected.
  var rootObject: Root { get }
}

extension Projection: ObservableProjection {}

extension ObservableProjection {
  /// Calls `block` whenever a projected property changes, or the object is deleted.
  ///
  /// Changes carry the names of the projection's properties, the value now, and, for properties of
  /// the object itself, the stored value before. With `keyPaths` only the projected properties of
  /// those names count. For `queue` and the token see `observe` of ``ObservableObjectBase``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// Calls `block` whenever one of some projected properties changes; see ``observe(keyPaths:on:_:)``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.flatMap(Self.names), on: queue, block)
  }

  /// Calls `block` in an actor whenever one of some projected properties changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: A,
    _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.flatMap(Self.names), on: actor, block)
  }

  /// The changes of the projection as an asynchronous sequence, which ends when the object is deleted.
  public func changes(keyPaths: [String]? = nil) -> ObservedChanges<ObjectChange<Self>> {
    let properties = Self.observed(keyPaths)
    return rootObject.changes(keyPaths: Self.paths(of: properties)).mapped {
      Self.projected($0, properties)
    }
  }

  private static func paths(of properties: [ProjectedProperty]) -> [String] {
    Array(Set(properties.flatMap(\.observedPaths))).sorted()
  }

  private func observe(
    _ keyPaths: [String]?, _ place: TurnPlace?, _ block: ObserverBlock<ObjectChange<Self>>
  ) -> NotificationToken {
    let properties = Self.observed(keyPaths)
    return rootObject.observe(
      Self.paths(of: properties), on: place,
      ObserverBlock(anywhere: { change, details in
        block.call(Self.projected(change, properties), details)
      }))
  }

  private static var properties: [ProjectedProperty] {
    (Self.self as? Projection<Root>.Type).map(ProjectedProperty.all) ?? []
  }

  /// The projected properties of these names; stops for a name that none has.
  static func observed(_ names: [String]?) -> [ProjectedProperty] {
    let all = properties
    guard let names else { return all }
    return names.map { name in
      guard let property = all.first(where: { $0.name == name }) else {
        Trap.stop(
          "Observing '\(name)' of a '\(Self.self)', which projects no such property. "
            + "It projects: \(all.map(\.name).joined(separator: ", ")).")
      }
      return property
    }
  }

  /// The names of the projected properties that a key path leads to, which are several if they project the same.
  static func names(of path: PartialKeyPath<Self>) -> [String] {
    // A key path does not tell its property, but it reads what that reads.
    let read = readings { $0[keyPath: path] }
    let names = properties.filter { property in
      property.valueType == type(of: path).valueType && !read.isEmpty
        && readings { property.value(of: $0) } == read
    }.map(\.name)
    guard names.isEmpty else { return names }
    Trap.stop(
      "Observing \(path) of a '\(Self.self)', which is no projected property. "
        + "It projects: \(properties.map(\.name).joined(separator: ", ")).")
  }

  /// The persisted properties that are read of the object behind a projection.
  private static func readings(_ read: (Self) -> Any) -> [String] {
    let recorder = KeyPathRecorder()
    let projection = Self(projecting: recorder.object(Root.self))
    let before = recorder.readings.count
    _ = read(projection)
    return recorder.readings[before...].map { "\(type(of: $0.owner)).\($0.property.name)" }
  }

  private static func projected(
    _ change: ObjectChange<Root>, _ properties: [ProjectedProperty]
  ) -> ObjectChange<Self> {
    switch change {
    case .error(let error): return .error(error)
    case .deleted: return .deleted
    case .change(let object, let changes):
      let projection = Self(projecting: object)
      return .change(
        projection,
        properties.compactMap { property in
          let names = property.observedPaths.map { KeyValuePath.split($0).name }
          return changes.first { names.contains($0.name) }.map {
            PropertyChange(
              name: property.name, oldValue: property.isStored ? $0.oldValue : nil,
              newValue: unwrapped(property.value(of: projection)))
          }
        })
    }
  }
}
