/// One property of each element of a collection, as a collection: live, and writable in place.
///
/// Made by `projectTo`: `person.friends.projectTo.firstName`.
public struct ProjectedCollection<Value> {
  /// The elements behind it, one by one.
  let elements: any ProjectedElements<Value>
}

/// The elements of a collection, seen through one property.
protocol ProjectedElements<Value> {
  associatedtype Value
  var count: Int { get }
  /// The paths that observers observe of each element.
  var observedPaths: [String] { get }
  func value(at index: Int) -> Value
  func assign(_ value: Value, at index: Int)
  var snapshot: [Value] { get }
  func observe(
    on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<ProjectedCollection<Value>>>
  ) -> NotificationToken
  var changes: ObservedChanges<ResultsChange<ProjectedCollection<Value>>> { get }
}

extension ProjectedCollection: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }

  /// The value of the element at `index`; setting it writes to that element.
  public subscript(index: Int) -> Value {
    get { elements.value(at: index) }
    nonmutating set { elements.assign(newValue, at: index) }
  }

  /// Iterates over the elements there are now, whatever happens to the collection meanwhile.
  public func makeIterator() -> ElementIterator<Value> {
    var rest = elements.snapshot[...]
    return ElementIterator { rest.popFirst() }
  }
}

/// The result of `projectTo`: its members are the properties of the elements.
@dynamicMemberLookup
public struct ElementMapper<Elements: RandomAccessCollection>
where Elements.Element: ObjectBase, Elements.Index == Int {
  let elements: Elements

  /// One property of each element.
  public subscript<Value>(
    dynamicMember path: KeyPath<Elements.Element, Value>
  ) -> ProjectedCollection<Value> {
    ProjectedCollection(elements: MappedElements(elements: elements, path: path))
  }
}

private struct MappedElements<Elements: RandomAccessCollection, Value>: ProjectedElements
where Elements.Element: ObjectBase, Elements.Index == Int {
  let elements: Elements
  let path: KeyPath<Elements.Element, Value>

  var count: Int { elements.count }
  var observedPaths: [String] { KeyPathNames.observedPaths(of: path) }
  var snapshot: [Value] { elements.map { $0[keyPath: path] } }

  func value(at index: Int) -> Value { elements[index][keyPath: path] }

  func observe(
    on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<ProjectedCollection<Value>>>
  ) -> NotificationToken {
    func open<Base: ObservableElements>(_ base: Base) -> NotificationToken {
      base.observeElements(
        keyPaths: observedPaths, on: place,
        ObserverBlock(anywhere: { change, details in block.call(projected(change), details) }))
    }
    return open(observable)
  }

  var changes: ObservedChanges<ResultsChange<ProjectedCollection<Value>>> {
    func open<Base: ObservableElements>(
      _ base: Base
    ) -> ObservedChanges<ResultsChange<ProjectedCollection<Value>>> {
      base.elementChanges(keyPaths: observedPaths).mapped(projected)
    }
    return open(observable)
  }

  private var observable: any ObservableElements {
    guard let base = elements as? any ObservableElements else {
      Trap.stop("Observing a projection of a \(Elements.self), which cannot be observed.")
    }
    return base
  }

  private func projected<Base>(
    _ change: ResultsChange<Base>
  ) -> ResultsChange<ProjectedCollection<Value>> {
    change.map { base in
      ProjectedCollection(
        elements: MappedElements(elements: base as? Elements ?? elements, path: path))
    }
  }

  func assign(_ value: Value, at index: Int) {
    let element = elements[index]
    if let path = path as? ReferenceWritableKeyPath<Elements.Element, Value> {
      element[keyPath: path] = value
    } else {
      element.setValue(value, forKeyPath: KeyPathNames.text(of: path))
    }
  }
}

extension List where Element: ObjectBase {
  /// Leads to one property of each element, for `@Projected`.
  public var projectTo: ElementMapper<List<Element>> { ElementMapper(elements: self) }
}

extension MutableSet where Element: ObjectBase {
  /// Leads to one property of each element, for `@Projected`.
  public var projectTo: ElementMapper<MutableSet<Element>> { ElementMapper(elements: self) }
}

extension LinkingObjects {
  /// Leads to one property of each object, for `@Projected`.
  public var projectTo: ElementMapper<LinkingObjects<Element>> { ElementMapper(elements: self) }
}
