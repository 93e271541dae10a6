import AtollStorage
import AtollVocabulary

/// The common part of lists of all element types.
public class ListBase: CollectionBase {
  /// The elements of an unmanaged list.
  final var elements = ChunkedArray<_Stored>()
  /// The elements of a managed list.
  final var managed: ManagedList?

  override init() { super.init() }

  /// The number of elements.
  public final var count: Int { managed?.count ?? elements.count }

  final func stored(at index: Int) -> _Stored {
    if let managed, let stored = managed.stored(at: index) { return stored }
    checkIndex(index, below: count)
    return elements[index]
  }

  /// Every element at this moment; what iteration runs over.
  final var snapshot: AnyRandomAccessCollection<_Stored> {
    managed.map { AnyRandomAccessCollection($0.snapshot) } ?? AnyRandomAccessCollection(elements)
  }

  // MARK: Changes

  final func insert(_ stored: some Collection<_Stored>, at index: Int) {
    checkIndex(index, below: count + 1)
    if let managed {
      managed.insert(Array(stored), at: index)
    } else {
      elements.insert(contentsOf: stored, at: index)
    }
  }

  final func append(_ stored: _Stored) {
    if let managed { managed.insert([stored], at: nil) } else { elements.append(stored) }
  }

  final func append(_ stored: some Collection<_Stored>) {
    if let managed {
      managed.insert(Array(stored), at: nil)
    } else {
      elements.append(contentsOf: stored)
    }
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
    if let managed { managed.clear() } else { elements.removeAll() }
  }

  /// Moves an element so that it ends up at `destination`.
  public final func move(from source: Int, to destination: Int) {
    checkIndex(source, below: count)
    checkIndex(destination, below: count)
    if source == destination { return }
    guard let managed else {
      return elements.insert(elements.remove(at: source), at: destination)
    }
    managed.move(from: source, to: destination)
  }

  /// Exchanges two elements, as two moves; neighbours as one.
  public final func swapAt(_ first: Int, _ second: Int) {
    checkIndex(first, below: count)
    checkIndex(second, below: count)
    if first == second { return }
    let (low, high) = (Swift.min(first, second), Swift.max(first, second))
    move(from: high, to: low)
    if low + 1 < high { move(from: low + 1, to: high) }
  }

  /// Returns the index of `stored`, in the form of the file.
  final func index(of stored: _Stored) -> Int? {
    snapshot.enumerated().first { $0.element.isSame(as: stored) }?.offset
  }

  final func checkIndex(_ index: Int, below bound: Int) {
    guard index >= 0, index < bound else {
      Trap.stop("Index \(index) is out of bounds of a list of \(count) elements.")
    }
  }

  // MARK: As a property

  override var place: ManagedCollection? { managed }

  override func attach(to collection: ManagedCollection) {
    let held = elements
    managed = collection as? ManagedList
    elements.removeAll()
    managed?.adopt(held)
  }

  override func fill(_ input: _PropertyInput) {
    guard case .list(let held) = input.content else { return }
    elements = ChunkedArray(held)
  }

  override var input: _PropertyInput { _PropertyInput(list: Array(snapshot)) }

  override func replace(with content: _PropertyInput.Content) {
    guard case .list(let elements) = content else { return }
    removeAll()
    append(elements)
  }
}
