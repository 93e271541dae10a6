// Access by name: values come out as they are stored, and go in mapped or as stored.
extension ObjectBase {
  /// The stored value of the property of a name; nil for null.
  ///
  /// Of a mapped property that is the persisted value; where the mapping is to an embedded object,
  /// a managed object gives the managed embedded object. An optional property whose stored value
  /// does not convert is nil; a required one stops the process, and so does a name that the class
  /// does not have. Collections are the object's own; of an any-typed property the value is what is
  /// in the ``AnyValue``.
  ///
  /// Values to be set may be in mapped or in persisted form; for embedded objects dictionaries and
  /// arrays do as well, and arrays and dictionaries for collections.
  public final subscript(name: String) -> Any? {
    get {
      if let linking = model.linkingProperty(named: name) { return linking.anyValue(of: self) }
      return property(named: name, "Reading").dynamicValue(of: self)
    }
    set { setByName(newValue as Any, of: property(named: name, "Assigning")) }
  }

  /// The stored value of the property of a name, as the subscript gives it.
  public final func value(forKey key: String) -> Any? { self[key] }

  /// Sets the property of a name, as the subscript does.
  public final func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// The value at the end of a path of names; collections on the way are mapped over, and `@count`,
  /// `@sum`, `@avg`, `@min` and `@max` summarise them.
  public final func value(forKeyPath path: String) -> Any? {
    let (name, rest) = KeyValuePath.split(path)
    return KeyValuePath.follow(rest, from: self[name])
  }

  /// Sets the property at the end of a path of names.
  public final func setValue(_ value: Any?, forKeyPath path: String) {
    let (name, rest) = KeyValuePath.split(path)
    guard let rest else { return self[name] = value }
    switch self[name] {
    case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
    case let elements as any KeyValueCollection:
      for case let object as ObjectBase in elements.keyValueElements {
        object.setValue(value, forKeyPath: rest)
      }
    case nil: break
    case let other?:
      Trap.stop(
        "Setting '\(path)' of an object of class '\(model.name)': '\(name)' is "
          + "'\(other)', which has no properties.")
    }
  }
}

extension ObjectBase {
  /// The class's properties, also where the class is known from the file alone.
  final var model: ModelClass {
    layout?.model ?? (self as? DynamicObject)?.declared ?? ModelClass.of(type(of: self))
  }

  final func property(named name: String, _ doing: String) -> PropertyDescriptor {
    if let property = model.property(named: name) { return property }
    Trap.stop(
      "\(doing) '\(name)' of an object of class '\(model.name)', which has no such property. "
        + "It has: \(model.properties.map(\.name).joined(separator: ", ")).")
  }

  /// Rules 22, 24 and 62: an unmanaged object converts at once, a managed one stores what is given.
  final func setByName(_ value: Any, of property: PropertyDescriptor) {
    let fits =
      isManaged
      ? property.setDynamicValue(value, of: self) : property.assign(value, to: self)
    if !fits { Trap.stop(property.unfit(.value(value), in: self).message) }
  }
}

/// The value inside any number of optionals; nil if one of them is.
func unwrapped(_ any: Any) -> Any? {
  guard let optional = any as? any AnyOptional else { return any }
  return optional.content.flatMap(unwrapped)
}

private protocol AnyOptional { var content: Any? { get } }

extension Optional: AnyOptional {
  fileprivate var content: Any? { self }
}
