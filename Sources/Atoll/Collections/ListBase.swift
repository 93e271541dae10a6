/// What lists of all element types have in common.
///
/// An unmanaged list holds persisted values, whatever its element type (rule 23); a managed one
/// holds its place in a row.
public class ListBase {
  /// The elements of an unmanaged list.
  final var elements: [_Stored] = []
  /// Where a managed list's elements are.
  final var managed: ManagedList?

  init() {}

  /// Whether the list belongs to an object that was deleted.
  public final var isInvalidated: Bool { managed.map { !$0.isAlive } ?? false }

  /// The store that manages the list; nil for an unmanaged one.
  public final var store: Store? { managed?.row.store }

  public final var count: Int { managed?.count ?? elements.count }

  final func stored(at index: Int) -> _Stored {
    guard let managed else {
      checkIndex(index, below: elements.count)
      return elements[index]
    }
    checkIndex(index, below: managed.count)
    return managed.stored(at: index)
  }

  final func insert(_ stored: _Stored, at index: Int) {
    checkIndex(index, below: count + 1)
    if let managed { managed.insert(stored, at: index) } else { elements.insert(stored, at: index) }
  }

  final func append(_ stored: _Stored) {
    if let managed { managed.insert(stored, at: nil) } else { elements.append(stored) }
  }

  final func replace(_ stored: _Stored, at index: Int) {
    checkIndex(index, below: count)
    if let managed { managed.assign(stored, at: index) } else { elements[index] = stored }
  }

  /// Removes the element at `index`.
  public final func remove(at index: Int) {
    checkIndex(index, below: count)
    if let managed { managed.remove(at: index) } else { elements.remove(at: index) }
  }

  /// Removes every element.
  public final func removeAll() {
    if let managed { managed.clear() } else { elements = [] }
  }

  /// Moves an element so that it ends up at `destination`.
  public final func move(from source: Int, to destination: Int) {
    checkIndex(source, below: count)
    checkIndex(destination, below: count)
    guard let managed else {
      elements.insert(elements.remove(at: source), at: destination)
      return
    }
    managed.move(from: source, to: destination)
  }

  /// Every element at this moment; what iteration runs over.
  final var snapshot: [_Stored] { managed?.snapshot ?? elements }

  private func checkIndex(_ index: Int, below bound: Int) {
    guard index >= 0, index < bound else {
      Trap.stop("Index \(index) is out of bounds of a list of \(count) elements.")
    }
  }
}

extension ListBase: Equatable {
  /// Whether both are the same list, of the same object; elements are not compared.
  public static func == (a: ListBase, b: ListBase) -> Bool {
    if a === b { return true }
    guard let first = a.managed, let second = b.managed else { return false }
    return first.row.isSame(as: second.row) && first.path == second.path
  }
}
