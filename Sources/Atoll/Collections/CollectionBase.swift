import AtollStorage

/// The common part of the handles of lists, sets and maps.
///
/// An unmanaged collection holds persisted values, whatever its element type (rule 23); a managed
/// one holds its place in a row. The handle stays the same when its object is added.
public class CollectionBase {
  /// The place of a managed collection's content; nil for an unmanaged one.
  var place: ManagedCollection? { nil }

  init() {}

  /// True if the collection belongs to an object that was deleted or replaced, or was itself replaced in
  /// an any-typed value.
  public final var isInvalidated: Bool { place.map { !$0.isAlive } ?? false }

  /// The store that manages the collection; nil for an unmanaged one.
  public final var store: Store? { place?.row.store }

  /// Makes this the handle of a collection in a row, which has what the handle held.
  func attach(to collection: ManagedCollection) { Trap.stop("A collection without a kind.") }

  /// Gives an unmanaged collection the content of `input`; does nothing for another kind's.
  func fill(_ input: _PropertyInput) { Trap.stop("A collection without a kind.") }

  /// The content as a new row takes it.
  var input: _PropertyInput { Trap.stop("A collection without a kind.") }

  /// The content as an any-typed value holds it.
  final var nestedContent: _Stored.Content {
    switch input.content {
    case .list(let elements), .set(let elements): .list(elements)
    case .map(let entries): .map(entries)
    case .single(let stored): stored.content
    }
  }

  /// Replaces the content of a managed collection by that of an object on its way into the store.
  func replace(with content: _PropertyInput.Content) { Trap.stop("A collection without a kind.") }
}

extension CollectionBase: Hashable {
  /// Tells whether both are the same collection, of the same object; elements are not compared.
  public static func == (a: CollectionBase, b: CollectionBase) -> Bool {
    if a === b { return true }
    guard let first = a.place, let second = b.place else { return false }
    return first.isSame(as: second)
  }

  public final func hash(into hasher: inout Hasher) {
    guard let place else { return hasher.combine(ObjectIdentifier(self)) }
    hasher.combine(place.row.id)
    hasher.combine(place.path)
  }
}

extension _Stored {
  /// Tells whether both are the same stored value, or the same object.
  ///
  /// An unmanaged object is the same as itself only, so a value mapped to an embedded object, which
  /// is a new object each time, is nowhere (rule 35).
  func isSame(as other: _Stored) -> Bool {
    switch (content, other.content) {
    case (.scalar(let a), .scalar(let b)): a == b
    case (.object(let a), .object(let b)): a.isSameObject(as: b)
    case (.list(let a), .list(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.map(let a), .map(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.isSame(as: $1.value) }
    case (.scalar, _), (.object, _), (.list, _), (.map, _): false
    }
  }
}
