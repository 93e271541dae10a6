import Synchronization

/// One projected property of a projection class; found once per class.
struct ProjectedProperty: @unchecked Sendable {
  let name: String
  /// The paths that observers of the projection observe of the object.
  let observedPaths: [String]
  /// Tells whether the projected property is a persisted one of the object itself, or a part of its value.
  let isStored: Bool
  private let field: Reflection.Field
  private let wrapper: any AnyProjected.Type

  var valueType: Any.Type { wrapper.valueType }

  func value(of projection: AnyObject) -> Any {
    wrapper.value(at: address(in: projection), of: projection)
  }

  private func address(in projection: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(projection).toOpaque()).advanced(by: field.offset)
  }

  // MARK: Once per class

  private static let known = Mutex<[ObjectIdentifier: [ProjectedProperty]]>([:])

  static func all<Root: ObjectBase>(of type: Projection<Root>.Type) -> [ProjectedProperty] {
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    // A projection of an object that no store manages has the same wrappers.
    let prototype = type.init(projecting: Root())
    let found = Reflection.fields(of: type).compactMap { field in
      (field.type as? any AnyProjected.Type).map {
        ProjectedProperty(field, $0, of: prototype)
      }
    }
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  private init(_ field: Reflection.Field, _ wrapper: any AnyProjected.Type, of prototype: AnyObject)
  {
    self.field = field
    self.wrapper = wrapper
    name = String(field.name.dropFirst())
    (observedPaths, isStored) = wrapper.observed(
      at: UnsafeRawPointer(Unmanaged.passUnretained(prototype).toOpaque())
        .advanced(by: field.offset))
  }
}

/// A wrapper of any type, as reflection meets it.
private protocol AnyProjected {
  static var valueType: Any.Type { get }
  static func observed(at address: UnsafeRawPointer) -> (paths: [String], isStored: Bool)
  static func value(at address: UnsafeRawPointer, of projection: AnyObject) -> Any
}

extension Projected: AnyProjected {
  fileprivate static var valueType: Any.Type { Value.self }

  private static func path(at address: UnsafeRawPointer) -> KeyPath<Root, Value> {
    address.assumingMemoryBound(to: Self.self).pointee.path
  }

  fileprivate static func observed(
    at address: UnsafeRawPointer
  ) -> (paths: [String], isStored: Bool) {
    let path = path(at: address)
    let paths = KeyPathNames.observedPaths(of: path)
    if let elements = Root.self.recorded(path) as? any AnyProjectedCollection {
      return (paths.flatMap { way in elements.elementPaths.map { "\(way).\($0)" } }, false)
    }
    switch KeyPathNames.meaning(of: path) {
    case .names(let names): return (paths, names.count == 1)
    case .computed(let computed):
      return (paths, computed.isInsideValue && paths.allSatisfy { !$0.contains(".") })
    }
  }

  fileprivate static func value(at address: UnsafeRawPointer, of projection: AnyObject) -> Any {
    guard let projection = projection as? Projection<Root> else {
      Trap.stop("A projected property of another class.")
    }
    return projection.rootObject[keyPath: path(at: address)]
  }
}

private protocol AnyProjectedCollection { var elementPaths: [String] { get } }

extension ProjectedCollection: AnyProjectedCollection {
  fileprivate var elementPaths: [String] { elements.observedPaths }
}

extension ObjectBase {
  /// Returns the value of a key path on a recorder.
  fileprivate static func recorded<Root: ObjectBase, Value>(_ path: KeyPath<Root, Value>) -> Any {
    KeyPathRecorder().object(Root.self)[keyPath: path]
  }
}
