/// An object of a class that is known by name.
///
/// Its properties are members: `object.name`, or `object["name"]`. They read as they are stored,
/// without any conversion, and integers of every width as `Int`; null is nil. Values to be set may
/// be stored values, values of types that are mapped to them, and enums.
///
/// ```swift
/// for person in store.dynamicObjects("Person") { print(person.name as? String ?? "") }
/// ```
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The class of an object that no store manages yet.
  final var declared: ModelClass?

  /// The stored value of a property, by its name.
  public subscript(dynamicMember name: String) -> Any? {
    get { self[name] }
    set { self[name] = newValue }
  }
}

extension DynamicObject {
  /// An object on its way into a store, of a class that only the file knows.
  convenience init(_ model: ModelClass, value: Any) throws(Store.Error) {
    self.init()
    declared = model
    var inputs: [Int: _PropertyInput] = [:]
    for (property, given) in try model.values(in: value) {
      guard let input = property.coerce(given) else { throw property.unfit(given, in: self) }
      inputs[property.slot] = input
    }
    source = Draft(given: inputs)
  }
}

// MARK: - Collections by name

extension Object {
  /// The objects in a list property, by their names; of an object that a store manages.
  public final func dynamicList(_ name: String) -> List<DynamicObject> {
    guard let list = dynamicSelf[name] as? List<DynamicObject> else {
      stopNoCollection(name, "list")
    }
    return list
  }

  /// The objects in a set property, by their names; of an object that a store manages.
  public final func dynamicMutableSet(_ name: String) -> MutableSet<DynamicObject> {
    guard let set = dynamicSelf[name] as? MutableSet<DynamicObject> else {
      stopNoCollection(name, "set")
    }
    return set
  }

  /// The objects in a map property, by key and by their names; of an object that a store manages.
  public final func dynamicMap(_ name: String) -> Map<String, DynamicObject?> {
    guard let map = dynamicSelf[name] as? Map<String, DynamicObject?> else {
      stopNoCollection(name, "map")
    }
    return map
  }

  /// The object as one whose properties are known by name.
  private var dynamicSelf: DynamicObject {
    if let object = self as? DynamicObject { return object }
    guard let object = AnyValue.object(self).dynamicObject else {
      Trap.stop(
        "Reading a collection of class '\(model.name)' by its name: no store manages the object. "
          + "Add it to one first.")
    }
    return object
  }

  private func stopNoCollection(_ name: String, _ kind: String) -> Never {
    Trap.stop("Reading '\(model.name).\(name)' as a \(kind) of objects, which it is not.")
  }
}
