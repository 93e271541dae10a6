import AtollChanges
import AtollVocabulary

/// The visible elements of one list, as an application counts them.
///
/// A reference, so that it is changed in place by each write that goes through it.
final class ListView {
  let container: Container
  /// Rows of the visible elements, in their order; nil until somebody counts.
  var rows: ChunkedArray<Int64>?
  /// The neighbours of the last insertion that was made through this view.
  var last: Insertion?

  /// An element just inserted, and the gap it was put into.
  struct Insertion {
    var row: Int64
    var position: PositionKey
    /// The visible element before it; nil at the start of the list.
    var leftRow: Int64?
    var left: PositionKey?
    /// The next key held after it; nil at the end.
    var right: PositionKey?
    /// True if no visible element comes after it.
    var isLast: Bool
  }

  init(of container: Container) { self.container = container }

  /// The number of elements to count; 0 until somebody does.
  var count: Int { rows?.count ?? 0 }
}

/// The lists last gone through by index, as of one commit.
///
/// A change to a list in any other way than through its view drops the view.
struct ListViews {
  /// The number of views that are kept.
  private static let bound = 16

  /// Least recently used first.
  private var views: [ListView] = []
  private var number: Int64 = -1

  /// Forgets everything if it was seen at another commit.
  mutating func keep(for number: Int64, evenIfOlder: Bool = false) {
    if number != self.number, !evenIfOlder { views = [] }
    self.number = number
  }

  mutating func clear() { views = [] }

  mutating func drop(_ container: Container) {
    guard !views.isEmpty else { return }
    views.removeAll { $0.container.isSame(as: container) }
  }

  mutating func drop(_ table: CellTable) {
    guard !views.isEmpty else { return }
    views.removeAll { $0.container.table === table }
  }

  /// The view of a list, empty if it is not known.
  mutating func view(of container: Container) -> ListView {
    if let view = views.last, view.container.isSame(as: container) { return view }
    if let index = views.firstIndex(where: { $0.container.isSame(as: container) }) {
      views.append(views.remove(at: index))
    } else {
      add(ListView(of: container))
    }
    return views[views.count - 1]
  }

  /// Takes back a view that was changed along with its list.
  mutating func add(_ view: ListView) {
    drop(view.container)
    if views.count >= Self.bound { views.removeFirst() }
    views.append(view)
  }
}
