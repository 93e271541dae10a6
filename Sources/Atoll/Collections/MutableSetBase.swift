/// The common part of sets of all element types.
public class MutableSetBase: CollectionBase {
  /// The members of an unmanaged set.
  final var elements = StoredSet()
  /// The members of a managed set.
  final var managed: ManagedSet?

  override init() { super.init() }

  /// The number of members.
  public final var count: Int { managed?.count ?? elements.members.count }

  final func stored(at index: Int) -> _Stored {
    let members = snapshot
    guard members.indices.contains(index) else {
      Trap.stop("Index \(index) is out of bounds of a set of \(members.count) elements.")
    }
    return members[index]
  }

  final func contains(_ stored: _Stored) -> Bool {
    managed?.contains(stored) ?? (elements.index(of: stored) != nil)
  }

  final func insert(_ stored: _Stored) {
    if let managed { managed.insert(stored) } else { _ = elements.insert(stored) }
  }

  final func remove(_ stored: _Stored) {
    if let managed { managed.remove(stored) } else { _ = elements.remove(stored) }
  }

  /// Removes every element.
  public final func removeAll() {
    if let managed { managed.clear() } else { elements = StoredSet() }
  }

  /// Every member at this moment; what iteration runs over.
  final var snapshot: [_Stored] { managed?.snapshot ?? elements.members }

  // MARK: As a property

  override var place: ManagedCollection? { managed }

  override func attach(to collection: ManagedCollection) {
    managed = collection as? ManagedSet
    elements = StoredSet()
  }

  override func fill(_ input: _PropertyInput) {
    guard case .set(let members) = input.content else { return }
    for member in members { insert(member) }
  }

  override var input: _PropertyInput { _PropertyInput(set: snapshot) }

  override func replace(with content: _PropertyInput.Content) {
    guard case .set(let members) = content else { return }
    removeAll()
    for member in members { insert(member) }
  }
}
