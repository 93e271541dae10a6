package import AtollVocabulary

/// One element of a list: where it stands, what it holds, and whether it is gone for good.
package struct ListElement<Value: Hashable & Sendable>: Hashable, Sendable {
  package var identity: ChangeIdentity
  package var position: Register<PositionKey>
  package var value: Register<Value>
  package var isRemoved: Bool

  package init(
    identity: ChangeIdentity, position: Register<PositionKey>, value: Register<Value>,
    isRemoved: Bool = false
  ) {
    self.identity = identity
    self.position = position
    self.value = value
    self.isRemoved = isRemoved
  }

  /// Both registers merged; removed if either is.
  package func merged(with other: ListElement) -> ListElement {
    ListElement(
      identity: identity, position: position.merged(with: other.position),
      value: value.merged(with: other.value), isRemoved: isRemoved || other.isRemoved)
  }
}

extension ListElement: Comparable {
  /// The order of a list: position keys as bytes; the identity decides between equal ones.
  package static func < (a: ListElement, b: ListElement) -> Bool {
    a.position.value == b.position.value
      ? a.identity < b.identity : a.position.value < b.position.value
  }
}
