extension ObjectBase {
  /// Makes an object from a dictionary by property name, an array in the order of declaration,
  /// another object, or an `Encodable` value that encodes to one of these.
  ///
  /// Values may be in mapped or in persisted form. Missing properties keep their defaults, unknown
  /// names are ignored. Stops if a value fits neither form; ``init(checking:)`` throws.
  public convenience init(value: Any) {
    self.init()
    do throws(Store.Error) { try assign(valuesOf: value) } catch { Trap.stop(error.message) }
  }

  /// Makes an object as ``init(value:)`` does.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if a value fits neither form of its property, or
  ///   does not convert; the message has class, property and value.
  public convenience init(checking value: Any) throws(Store.Error) {
    self.init()
    try assign(valuesOf: value)
  }

  final func assign(valuesOf value: Any) throws(Store.Error) {
    for (property, given) in try model.values(in: value) {
      guard let input = property.coerce(given) else { throw property.unfit(given, in: self) }
      try input.settle()
      guard property.take(given, input, in: self) else { throw property.unfit(given, in: self) }
    }
  }
}

extension ModelClass {
  /// The values that a dictionary, an array, an object or an `Encodable` has for this class.
  func values(in value: Any) throws(Store.Error) -> [(PropertyDescriptor, Given)] {
    if let object = value as? ObjectBase { return values(of: object) }
    if let values = try values(inContainer: value) { return values }
    if let encodable = value as? any Encodable {
      let encoded = try EncodedValue.encode(encodable, for: name)
      if let values = try values(inContainer: encoded) { return values }
    }
    throw Store.Error(
      .invalidValue,
      "Making a '\(name)' from a value of type \(Swift.type(of: value)): give a dictionary by "
        + "property name, an array in order, another object, or an Encodable that encodes to one.")
  }

  private func values(
    inContainer value: Any
  ) throws(Store.Error) -> [(PropertyDescriptor, Given)]? {
    if let dictionary = value as? [String: Any] {
      return properties.compactMap { property in
        dictionary[property.name].map { (property, .value($0)) }
      }
    }
    guard let array = value as? [Any] else { return nil }
    guard array.count <= properties.count else {
      throw Store.Error(
        .invalidValue,
        "Making a '\(name)' from an array: it has \(array.count) values, "
          + "the class \(properties.count) properties.")
    }
    return zip(properties, array).map { ($0, .value($1)) }
  }

  /// Returns the values of another object for properties of this class, which need not be its own.
  private func values(of object: ObjectBase) -> [(PropertyDescriptor, Given)] {
    let other = object.model
    return properties.compactMap { property in
      guard let source = other === self ? property : other.property(named: property.name),
        let input = source.inputIfAny(of: object)
      else { return nil }
      // A mapped value is copied as it is: its conversions need not be the inverse of each other.
      if !object.isManaged, source.type.isMapped, source.type.collection == .none {
        return (property, .value(source.anyValue(of: object)))
      }
      guard source.type.isSame(as: property.type) else {
        return object.isManaged ? nil : (property, .value(source.anyValue(of: object)))
      }
      return (property, .stored(source.type.isEmbedded ? input.mapObjects(copied) : input))
    }
  }

  /// An embedded object belongs to one owner, so that another gets a copy.
  private func copied(_ object: ObjectBase) -> ObjectBase {
    Swift.type(of: object).draft(of: object)
  }
}

extension _PropertyType {
  fileprivate func isSame(as other: _PropertyType) -> Bool {
    type == other.type && collection == other.collection && target == other.target
  }

  fileprivate var isEmbedded: Bool { type == .embedded && !isMapped }
}

extension PropertyDescriptor {
  func stopUnfit(_ value: Any) -> Never {
    Trap.stop("Could not convert value '\(value)' to type '\(valueType)'. \(place).")
  }
}
