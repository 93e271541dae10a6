/// The value that an object is given for one property.
enum Given {
  /// In mapped or in persisted form.
  case value(Any)
  /// As another object has it stored.
  case stored(_PropertyInput)
}

extension PropertyDescriptor {
  /// The value as stored; nil if it has neither form.
  func coerce(_ given: Given) -> _PropertyInput? {
    switch given {
    case .value(let any): coerce(any)
    case .stored(let input): input
    }
  }

  /// Why the property cannot be given a value: class, property, object and value.
  func unfit(_ given: Given, in object: ObjectBase) -> Store.Error {
    let text =
      switch given {
      case .value(let any): flattened(any).map { "\($0)" } ?? "nil"
      case .stored(let input): input.text
      }
    return Store.Error(
      .invalidValue,
      "Could not convert value '\(text)' to type '\(valueType)'. \(place), in the object "
        + "\(object.shortDescription).")
  }
}

extension _PropertyInput {
  fileprivate var text: String {
    switch content {
    case .single(let stored): "\(stored)"
    case .list(let elements), .set(let elements): "\(elements)"
    case .map(let entries): "\(_Stored(map: entries))"
    }
  }

  /// Every object in it.
  var objects: [ObjectBase] {
    switch content {
    case .single(let stored): stored.object.map { [$0] } ?? []
    case .list(let elements), .set(let elements): elements.compactMap(\.object)
    case .map(let entries): entries.compactMap(\.value.object)
    }
  }

  /// The same with other objects in place of its own.
  func mapObjects(_ transform: (ObjectBase) -> ObjectBase) -> _PropertyInput {
    func map(_ stored: _Stored) -> _Stored {
      stored.object.map { _Stored(transform($0)) } ?? stored
    }
    switch content {
    case .single(let stored): return _PropertyInput(map(stored))
    case .list(let elements): return _PropertyInput(list: elements.map(map))
    case .set(let members): return _PropertyInput(set: members.map(map))
    case .map(let entries):
      return _PropertyInput(map: entries.map { _StoredEntry(key: $0.key, value: map($0.value)) })
    }
  }
}

extension _Stored {
  fileprivate init(map entries: [_StoredEntry]) {
    self.init(.null)
    content = .map(entries)
  }
}

/// The value inside any number of optionals; nil if one of them is.
private func flattened(_ any: Any) -> Any? {
  guard let optional = any as? any AnyOptional else { return any }
  return optional.content.flatMap(flattened)
}

private protocol AnyOptional { var content: Any? { get } }

extension Optional: AnyOptional {
  fileprivate var content: Any? { self }
}
