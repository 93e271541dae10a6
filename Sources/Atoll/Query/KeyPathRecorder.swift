import Synchronization

/// Which persisted properties a Swift key path leads through.
///
/// A key path says nothing about itself, so it is evaluated once on an object that records what is
/// read from it and answers with defaults. The result is kept for the life of the process.
enum KeyPathNames {
  private static let known = Mutex<[Key: [String]]>([:])

  /// Key paths are immutable, whatever the compiler knows of their captures.
  private struct Key: Hashable, @unchecked Sendable {
    let path: AnyKeyPath
  }

  /// The names from `Root` inwards; stops if the path ends elsewhere than at a persisted property.
  static func names<Root: ObjectBase, Value>(of path: KeyPath<Root, Value>) -> [String] {
    let key = Key(path: path)
    if let names = known.withLock({ $0[key] }) { return names }
    let recorder = KeyPathRecorder()
    _ = recorder.object(Root.self)[keyPath: path]
    let names = recorder.names(ending: Value.self, root: Root.self)
    known.withLock { $0[key] = names }
    return names
  }
}

extension KeyPathNames {
  /// The names of a key path to a value of any type, with dots between.
  static func text<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String {
    let recorder = KeyPathRecorder()
    _ = recorder.object(Root.self)[keyPath: path]
    return recorder.names(ending: type(of: path).valueType, root: Root.self)
      .joined(separator: ".")
  }

  /// The names of every persisted property that a key path reads, wherever it ends.
  static func readNames<Root: ObjectBase>(
    of path: PartialKeyPath<Root>, from root: Root.Type
  ) -> [String] {
    let recorder = KeyPathRecorder()
    _ = recorder.object(root)[keyPath: path]
    return recorder.read.map(\.name)
  }
}

/// Stands behind an object whose properties are read for the sake of their names.
final class KeyPathRecorder: RowSource {
  private(set) var read: [PropertyDescriptor] = []

  func object<T: ObjectBase>(_ type: T.Type) -> T {
    let object = type.init()
    bind(object)
    return object
  }

  private func bind(_ object: ObjectBase) {
    object.source = self
    object.isManaged = true
    let model = ModelClass.of(type(of: object))
    for property in model.properties { property.bind(object) }
    for linking in model.linking { linking.property.bind(object) }
  }

  /// Records a property that is found rather than stored.
  func note(_ property: PropertyDescriptor) { read.append(property) }

  private func record(_ slot: Int, of object: ObjectBase) -> PropertyDescriptor {
    let property = ModelClass.of(type(of: object)).properties[slot]
    read.append(property)
    return property
  }

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    let property = record(slot, of: object)
    guard let target = property.type.target, !property.type.isMapped else {
      return property.recordedDefault()
    }
    let next = target.init()
    bind(next)
    return _Stored(next)
  }

  override func attach(_ handle: CollectionBase, to slot: Int, of object: ObjectBase) {
    _ = record(slot, of: object)
  }

  /// What was read, if the last of it is what the key path ends in (rule 43).
  func names(ending type: Any.Type, root: ObjectBase.Type) -> [String] {
    guard let last = read.last else {
      Trap.stop(
        "A key path of class '\(ModelClass.name(of: root))' to a '\(type)' reads no @Persisted "
          + "property; only those are stored.")
    }
    guard last.valueType == type || optional(of: last.valueType) == type else {
      let way = read.map(\.name).joined(separator: ".")
      Trap.stop(
        "A key path of class '\(ModelClass.name(of: root))' goes into the value of \(last.place), "
          + "which is stored as a whole. Name the persisted property instead, as in \"\(way)"
          + "\(last.type.target == nil ? "" : ".<member>")\".")
    }
    return read.map(\.name)
  }
}

/// What optional chaining makes of a property's type.
private func optional(of type: Any.Type) -> Any.Type {
  func wrap<T>(_: T.Type) -> Any.Type { T?.self }
  return _openExistential(type, do: wrap)
}

extension KeyPathNames {
  /// The names joined by dots.
  static func text<Root: ObjectBase, Value>(of path: KeyPath<Root, Value>) -> String {
    names(of: path).joined(separator: ".")
  }

  /// The names of a path whose value's type is not known, joined by dots.
  static func name<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String {
    func open<Value>(_: Value.Type) -> String? {
      (path as? KeyPath<Root, Value>).map { text(of: $0) }
    }
    guard let name = _openExistential(type(of: path).valueType, do: open) else {
      Trap.stop("A key path of class '\(ModelClass.name(of: Root.self))' that cannot be read.")
    }
    return name
  }
}
