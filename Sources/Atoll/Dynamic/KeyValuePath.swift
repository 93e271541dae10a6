/// Paths of names through objects and collections, as key-value coding has them.
enum KeyValuePath {
  /// The first name, and what comes after it.
  static func split(_ path: String) -> (name: String, rest: String?) {
    guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
    return (String(path[..<dot]), String(path[path.index(after: dot)...]))
  }

  static func follow(_ path: String?, from value: Any?) -> Any? {
    guard let path, let value, path != "self" else { return value }
    switch value {
    case let object as ObjectBase: return object.value(forKeyPath: path)
    case let collection as any KeyValueCollection:
      return follow(path, through: collection.keyValueElements)
    case let map as MapBase: return follow(path, from: map)
    case let elements as [Any?]: return follow(path, through: elements)
    default: Trap.stop("Following '\(path)': '\(value)' has no properties.")
    }
  }

  /// Follows the value of a key, or summarises values.
  static func follow(_ path: String, from map: MapBase) -> Any? {
    if path.hasPrefix("@") {
      return follow(path, through: map.snapshot.map(\.value.dynamicValue))
    }
    let (key, rest) = split(path)
    return follow(rest, from: map.stored(for: key)?.dynamicValue)
  }

  /// Summarises elements, or maps over them.
  static func follow(_ path: String, through elements: [Any?]) -> Any? {
    let (name, rest) = split(path)
    if name == "self" { return follow(rest, from: elements) }
    guard name.hasPrefix("@") else {
      let values = elements.map { follow(name, from: $0) }
      return follow(rest, from: values)
    }
    let values = rest.map { rest in elements.map { follow(rest, from: $0) } } ?? elements
    return summary(name, of: values.compactMap { $0.flatMap(unwrapped) })
  }

  private static func summary(_ name: String, of values: [Any]) -> Any? {
    switch name {
    case "@count": return values.count
    case "@sum": return values.map(number).reduce(0, +)
    case "@avg":
      return values.isEmpty ? nil : values.map(number).reduce(0, +) / Double(values.count)
    case "@min": return values.min(by: precedes)
    case "@max": return values.max(by: precedes)
    default:
      Trap.stop("'\(name)' is no collection operator; there are @count, @sum, @avg, @min, @max.")
    }
  }

  private static func number(_ value: Any) -> Double {
    if let integer = value as? any BinaryInteger { return Double(Int64(clamping: integer)) }
    if let number = value as? any BinaryFloatingPoint { return Double(number) }
    Trap.stop("'\(value)' is no number and cannot be added.")
  }

  private static func precedes(_ a: Any, _ b: Any) -> Bool {
    func compare<T: Comparable>(_ a: T) -> Bool { (b as? T).map { a < $0 } ?? false }
    return (a as? any Comparable).map { compare($0) } ?? false
  }
}

/// A collection whose elements paths of names go through.
protocol KeyValueCollection {
  /// Objects, or stored values.
  var keyValueElements: [Any?] { get }
}

extension KeyValueCollection {
  fileprivate func keyValue(_ path: String) -> Any? {
    KeyValuePath.follow(path, through: keyValueElements)
  }

  fileprivate func setKeyValue(_ value: Any?, _ path: String) {
    for element in keyValueElements {
      guard let object = element as? ObjectBase else {
        Trap.stop("Setting '\(path)' of the elements of a collection, which are no objects.")
      }
      object.setValue(value, forKeyPath: path)
    }
  }
}

extension Results: KeyValueCollection {
  var keyValueElements: [Any?] { map { $0 } }

  /// The stored values that the objects have for a name, in order; `"self"` gives the objects.
  public func value(forKey key: String) -> Any? { keyValue(key) }

  /// The stored values at the end of a path of names; see ``ObjectBase/value(forKeyPath:)``.
  public func value(forKeyPath path: String) -> Any? { keyValue(path) }

  /// Sets a property of every object, to a value in mapped or in persisted form.
  public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, key) }
}

extension MutableSet: KeyValueCollection {
  var keyValueElements: [Any?] { snapshot.map(\.dynamicValue) }

  /// The stored values that the objects have for a name; `"self"` gives the elements.
  public func value(forKey key: String) -> Any? { keyValue(key) }

  /// The stored values at the end of a path of names; see ``ObjectBase/value(forKeyPath:)``.
  public func value(forKeyPath path: String) -> Any? { keyValue(path) }

  /// Sets a property of every object, to a value in mapped or in persisted form.
  public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, key) }
}

extension List: KeyValueCollection {
  var keyValueElements: [Any?] { snapshot.map(\.dynamicValue) }

  /// The stored values that the objects have for a name, in order; `"self"` gives the elements.
  public func value(forKey key: String) -> Any? { keyValue(key) }

  /// The stored values at the end of a path of names; see ``ObjectBase/value(forKeyPath:)``.
  public func value(forKeyPath path: String) -> Any? { keyValue(path) }

  /// Sets a property of every object, to a value in mapped or in persisted form.
  public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, key) }
}

extension LinkingObjects: KeyValueCollection {
  var keyValueElements: [Any?] { map { $0 } }

  /// The stored values that the objects have for a name, in order; `"self"` gives the objects.
  public func value(forKey key: String) -> Any? { keyValue(key) }

  /// The stored values at the end of a path of names; see ``ObjectBase/value(forKeyPath:)``.
  public func value(forKeyPath path: String) -> Any? { keyValue(path) }

  /// Sets a property of every object, to a value in mapped or in persisted form.
  public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, key) }
}

extension ValueResults: KeyValueCollection {
  var keyValueElements: [Any?] { storedElements.map(\.dynamicValue) }

  /// The stored values for `"self"`, and what `@count`, `@sum`, `@avg`, `@min` and `@max` make of them.
  public func value(forKey key: String) -> Any? { keyValue(key) }

  /// The same; values have no properties.
  public func value(forKeyPath path: String) -> Any? { keyValue(path) }
}

extension Map {
  /// The stored value of a key; nil if there is none.
  public func value(forKey key: String) -> Any? { stored(for: key)?.dynamicValue }

  /// The stored value at the end of a path of names, of which the first is a key; `@count`, `@sum`,
  /// `@avg`, `@min` and `@max` summarise the values.
  public func value(forKeyPath path: String) -> Any? { KeyValuePath.follow(path, from: self) }

  /// Gives a key a value, in mapped or in persisted form; nil removes the entry.
  ///
  /// Stops if the value does not fit.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let value else { return remove(key) }
    guard let stored = Value._coerceElement(value) else {
      Trap.stop("\(keyPlace)'\(value)' of type '\(type(of: value))' is no '\(Value.self)'.")
    }
    assign(stored, for: key)
  }
}
