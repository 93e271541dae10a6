extension ObjectBase {
  /// Makes an object from a dictionary by property name, an array in the order of declaration, or
  /// another object of the class.
  ///
  /// Values may be in mapped or in persisted form. Missing properties keep their defaults, unknown
  /// names are ignored. Stops if a value fits neither form.
  public convenience init(value: Any) {
    self.init()
    assign(valuesOf: value)
  }

  final func assign(valuesOf value: Any) {
    for (property, value) in ModelClass.of(type(of: self)).values(in: value) {
      guard property.assign(value, to: self) else { property.stopUnfit(value) }
    }
  }
}

extension ModelClass {
  /// The values that a dictionary, an array or another object has for properties of this class.
  func values(in value: Any) -> [(PropertyDescriptor, Any)] {
    if let dictionary = value as? [String: Any] {
      return properties.compactMap { property in dictionary[property.name].map { (property, $0) } }
    }
    if let array = value as? [Any] {
      guard array.count <= properties.count else {
        Trap.stop(
          "Making a '\(name)' from an array: it has \(array.count) values, "
            + "the class \(properties.count) properties.")
      }
      return Array(zip(properties, array))
    }
    if let object = value as? ObjectBase, Swift.type(of: object) == type {
      return properties.map { ($0, $0.anyValue(of: object)) }
    }
    Trap.stop(
      "Making a '\(name)' from a value of type \(Swift.type(of: value)): "
        + "give a dictionary by property name, an array in order, or a '\(name)'.")
  }
}

extension PropertyDescriptor {
  func stopUnfit(_ value: Any) -> Never {
    Trap.stop("Could not convert value '\(value)' to type '\(valueType)'. \(place).")
  }
}
