package import AtollVocabulary

extension Operation {
  /// The same operation with other keys: of its object, and of all that its values link to.
  package func mapping<Failure: Error>(
    keys transform: (PersistedValue) throws(Failure) -> PersistedValue
  ) throws(Failure) -> Operation {
    switch self {
    case .create(let object, let fields):
      var mapped = fields
      for index in mapped.indices {
        mapped[index].value = try mapped[index].value.mapping(keys: transform)
      }
      return .create(try object.mapping(key: transform), mapped)
    case .delete(let object): return .delete(try object.mapping(key: transform))
    case .assign(let path, let value):
      return .assign(try path.mapping(key: transform), try value.mapping(keys: transform))
    case .increment(let path, let amount, let base):
      return .increment(try path.mapping(key: transform), by: amount, on: base)
    case .insert(let path, let position, let value):
      return .insert(
        try path.mapping(key: transform), at: position, try value.mapping(keys: transform))
    case .assignElement(let path, let element, let value):
      return .assignElement(
        try path.mapping(key: transform), element, try value.mapping(keys: transform))
    case .move(let path, let element, let position):
      return .move(try path.mapping(key: transform), element, to: position)
    case .remove(let path, let element):
      return .remove(try path.mapping(key: transform), element)
    case .clear(let path, let elements):
      return .clear(try path.mapping(key: transform), elements)
    case .insertMember(let path, let value):
      return .insertMember(try path.mapping(key: transform), try value.mapping(keys: transform))
    case .removeMember(let path, let value):
      return .removeMember(try path.mapping(key: transform), try value.mapping(keys: transform))
    case .assignEntry(let path, let key, let value):
      return .assignEntry(
        try path.mapping(key: transform), key: key, try value.mapping(keys: transform))
    case .removeEntry(let path, let key):
      return .removeEntry(try path.mapping(key: transform), key: key)
    case .release, .supersede: return self
    }
  }
}

extension ObjectReference {
  fileprivate func mapping<Failure: Error>(
    key transform: (PersistedValue) throws(Failure) -> PersistedValue
  ) throws(Failure) -> ObjectReference {
    ObjectReference(class: self.class, key: try transform(key), life: life)
  }
}

extension CellPath {
  fileprivate func mapping<Failure: Error>(
    key transform: (PersistedValue) throws(Failure) -> PersistedValue
  ) throws(Failure) -> CellPath {
    var path = self
    path.object = try object.mapping(key: transform)
    return path
  }
}

extension FieldValue {
  fileprivate func mapping<Failure: Error>(
    keys transform: (PersistedValue) throws(Failure) -> PersistedValue
  ) throws(Failure) -> FieldValue {
    switch self {
    case .scalar, .collection: return self
    case .link(let object): return .link(try object.mapping(key: transform))
    case .embedded(let fields):
      var mapped = fields
      for index in mapped.indices {
        mapped[index].value = try mapped[index].value.mapping(keys: transform)
      }
      return .embedded(mapped)
    }
  }
}
