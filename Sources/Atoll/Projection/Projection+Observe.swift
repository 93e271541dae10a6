public import Dispatch

/// Projections, so that observers are given projections of the class they observe.
public protocol ObservableProjection: AnyObject, SendableMetatype {
  associatedtype Root: ObjectBase
  init(projecting object: Root)
  var rootObject: Root { get }
}

extension Projection: ObservableProjection {}

extension ObservableProjection {
  /// Calls `block` whenever a projected property changes, or the object is deleted.
  ///
  /// Changes carry the names of the projection's properties, the value now, and, for properties of
  /// the object itself, the stored value before. With `keyPaths` only the projected properties of
  /// those names count. For `queue` and the token see ``ObservableObjectBase/observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let properties = observed(keyPaths)
    let paths = Array(Set(properties.map(\.observedPath))).sorted()
    return rootObject.observe(keyPaths: paths, on: queue) { change in
      block(Self.projected(change, properties))
    }
  }

  private func observed(_ names: [String]?) -> [ProjectedProperty] {
    let all = (Self.self as? Projection<Root>.Type).map(ProjectedProperty.all) ?? []
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
        properties.flatMap { property in
          changes.filter { $0.name == KeyValuePath.split(property.observedPath).name }.map {
            PropertyChange(
              name: property.name,
              oldValue: $0.name == property.observedPath ? $0.oldValue : nil,
              newValue: unwrapped(property.value(of: projection)))
          }
        })
    }
  }
}
