/// A transformation of everything that operations refer to, where they are written or read in other
/// terms.
///
/// References without a rule stay as they are.
package protocol OperationTransform {
  associatedtype Failure: Error

  mutating func object(_ old: ObjectReference) throws(Failure) -> ObjectReference
  mutating func property(_ old: PropertyNumber) throws(Failure) -> PropertyNumber
  mutating func author(_ old: AuthorNumber) throws(Failure) -> AuthorNumber
  mutating func element(_ old: ElementReference) throws(Failure) -> ElementReference
  mutating func stamp(_ old: StampReference) throws(Failure) -> StampReference
}

extension OperationTransform {
  package mutating func property(_ old: PropertyNumber) throws(Failure) -> PropertyNumber { old }
  package mutating func author(_ old: AuthorNumber) throws(Failure) -> AuthorNumber { old }
  package mutating func element(_ old: ElementReference) throws(Failure) -> ElementReference { old }
  package mutating func stamp(_ old: StampReference) throws(Failure) -> StampReference { old }
}

extension Operation {
  /// The same operation on what `transform` makes of its references, in the order in which it has them.
  package func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> Operation {
    switch self {
    case .data(let operation): .data(try operation.transformed(by: &transform))
    case .control(let operation): .control(try operation.transformed(by: &transform))
    }
  }
}

extension ControlOperation {
  fileprivate func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> ControlOperation {
    switch self {
    case .release(let author, let last):
      .release(try transform.author(author), through: last)
    case .supersede(let author, let first, let last):
      .supersede(try transform.author(author), from: first, through: last)
    }
  }
}

extension DataOperation {
  /// The same operation on what `transform` makes of its references, in the order in which it has them.
  package func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> DataOperation {
    switch self {
    case .create(let object, let fields):
      let object = try transform.object(object)
      var created: [CreatedField] = []
      for field in fields {
        created.append(
          CreatedField(
            property: try transform.property(field.property),
            value: try field.value.transformed(by: &transform), isAssigned: field.isAssigned))
      }
      return .create(object, created.sorted { $0.property < $1.property })
    case .delete(let object): return .delete(try transform.object(object))
    case .assign(let path, let value):
      return .assign(
        try path.transformed(by: &transform), try value.transformed(by: &transform))
    case .increment(let path, let amount, let base):
      return .increment(
        try path.transformed(by: &transform), by: amount, on: try base.transformed(by: &transform))
    case .insert(let path, let key, let value):
      return .insert(
        try path.transformed(by: &transform), at: key, try value.transformed(by: &transform))
    case .assignElement(let path, let element, let value):
      return .assignElement(
        try path.transformed(by: &transform), try transform.element(element),
        try value.transformed(by: &transform))
    case .move(let path, let element, let key):
      return .move(try path.transformed(by: &transform), try transform.element(element), to: key)
    case .remove(let path, let element):
      return .remove(try path.transformed(by: &transform), try transform.element(element))
    case .clear(let path, let elements):
      let path = try path.transformed(by: &transform)
      var cleared: [ElementReference] = []
      for element in elements { cleared.append(try transform.element(element)) }
      return .clear(path, cleared)
    case .insertMember(let path, let value):
      return .insertMember(
        try path.transformed(by: &transform), try value.transformed(by: &transform))
    case .removeMember(let path, let value):
      return .removeMember(
        try path.transformed(by: &transform), try value.transformed(by: &transform))
    case .assignEntry(let path, let key, let value):
      return .assignEntry(
        try path.transformed(by: &transform), key: key, try value.transformed(by: &transform))
    case .removeEntry(let path, let key):
      return .removeEntry(try path.transformed(by: &transform), key: key)
    }
  }
}

extension CellPath {
  fileprivate func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> CellPath {
    let object = try transform.object(object)
    var path = CellPath(object: object, property: try transform.property(property))
    for step in steps {
      switch step {
      case .slot(let slot, let instance):
        path.steps.append(
          .slot(try transform.property(slot), instance: try transform.stamp(instance)))
      case .element(let list, let element, let instance):
        path.steps.append(
          .element(
            try transform.property(list), try transform.element(element),
            instance: try transform.stamp(instance)))
      case .entry(let map, let key, let instance):
        path.steps.append(
          .entry(try transform.property(map), key: key, instance: try transform.stamp(instance)))
      }
    }
    for step in nested {
      switch step {
      case .slot(let instance):
        path.nested.append(.slot(instance: try transform.stamp(instance)))
      case .element(let element, let instance):
        path.nested.append(
          .element(try transform.element(element), instance: try transform.stamp(instance)))
      case .entry(let key, let instance):
        path.nested.append(.entry(key: key, instance: try transform.stamp(instance)))
      }
    }
    return path
  }
}

extension FieldValue {
  fileprivate func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> FieldValue {
    switch self {
    case .scalar, .collection: return self
    case .link(let object): return .link(try transform.object(object))
    case .embedded(let fields):
      var embedded: [EmbeddedField] = []
      for field in fields {
        embedded.append(
          EmbeddedField(
            property: try transform.property(field.property),
            value: try field.value.transformed(by: &transform)))
      }
      return .embedded(embedded.sorted { $0.property < $1.property })
    }
  }
}

extension StepBase {
  fileprivate func transformed<Transform: OperationTransform>(
    by transform: inout Transform
  ) throws(Transform.Failure) -> StepBase {
    switch self {
    case .default: .default
    case .assignment(let stamp): .assignment(try transform.stamp(stamp))
    }
  }
}
