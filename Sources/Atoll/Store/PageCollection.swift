import AtollStorage
import AtollVocabulary

/// The contents of one collection in the rows of a page, or of the lists and maps at one depth of
/// an any-typed slot; nothing as long as it was asked for in one place only.
struct PageCollection {
  /// The instance of the list or map in an any-typed slot, see ``CollectionPlace/held``.
  struct Held {
    var kind: CollectionKind
    var instance: Int64?
  }

  /// A question to it.
  enum Question {
    /// The instance of the list or map in an any-typed slot; asked several times for each that is
    /// used.
    case kind
    case content
  }

  /// The place where it was asked for first.
  private let first: Int64
  private let question: Question
  private(set) var isRead = false
  /// By what has the collection: an object's row, or the element that holds it.
  private(set) var elements: [Int64: [StoredElement]] = [:]
  /// Those of a map.
  private(set) var entries: [Int64: [StoredEntry]] = [:]
  /// Of an any-typed slot.
  private(set) var held: [Int64: Held] = [:]
  private(set) var freshness = ManagedRow.Freshness.never
  /// The contents of some rows, one after the other.
  private var window: (element: ElementWindow, owners: Set<RowID>)?

  init(askedFor first: Int64, _ question: Question) {
    self.first = first
    self.question = question
  }

  /// Tells whether it is to be read for all, because it is asked for again.
  ///
  /// The contents of one any-typed slot, and then their own contents, are asked for once.
  func isWanted(by owner: Int64, _ question: Question) -> Bool {
    owner != first || self.question == .content && question == .content
  }

  /// Elements that hold a list or map in their turn.
  var holders: [Int64] {
    elements.values.joined().compactMap { element in
      guard case .collection = element.value else { return nil }
      return element.id.rawValue
    }
  }

  /// Reads what so many owners have at a path; see ``FieldPath/depth``.
  mutating func read(_ path: FieldPath, in table: Table, of owners: [Int64]) {
    isRead = true
    freshness = ManagedRow.Freshness(of: table)
    if owners.isEmpty { return }
    table.store.attempt("reading collections of class '\(table.model.name)'") {
      file throws(StorageError) in
      if path.nested != nil {
        take(try file.heldCollections(of: table.classID, in: owners, at: path))
      } else if path.property.collection == .map {
        let ids = owners.map { RowID($0) }
        entries = byOwner(try file.entries(of: table.classID, ids: ids, in: path))
        elements = entries.mapValues { $0.map(\.element) }
      } else {
        let ids = owners.map { RowID($0) }
        elements = byOwner(try file.elements(of: table.classID, ids: ids, in: path))
      }
    }
  }

  private mutating func take(_ collections: [Int64: HeldCollection]) {
    for (owner, collection) in collections {
      held[owner] = Held(kind: collection.kind, instance: collection.instance)
      elements[owner] = collection.elements
      guard collection.kind == .map else { continue }
      entries[owner] = zip(collection.keys, collection.elements).map {
        StoredEntry(key: $0, element: $1)
      }
    }
  }

  private func byOwner<Content>(_ contents: [RowID: Content]) -> [Int64: Content] {
    Dictionary(uniqueKeysWithValues: contents.map { ($0.rawValue, $1) })
  }

  /// The elements of a row with those of the rows after it in `order`; nil if they are not known, or are
  /// too many.
  mutating func window(of owner: RowID, among order: [RowID]) -> ElementWindow? {
    if let window, window.owners.contains(owner) { return window.element }
    var elements: [StoredElement] = []
    var owners: Set<RowID> = []
    for id in order.drop(while: { $0 != owner }) {
      guard let more = self.elements[id.rawValue],
        elements.count + more.count <= ElementWindow.size
      else { break }
      elements += more
      owners.insert(id)
    }
    guard owners.contains(owner) else { return nil }
    let window = ElementWindow(elements)
    self.window = (window, owners)
    return window
  }
}

extension FieldPath {
  /// Returns the owner of the collection here, in an object: its row, or the element gone through
  /// last.
  func owner(in row: RowID) -> Int64 { nested?.last?.rawValue ?? row.rawValue }

  /// The same for every collection at this depth of any-typed values: elements are not told apart.
  var depth: FieldPath {
    FieldPath(steps: steps, property: property, nested: nested?.map { _ in ElementID(0) })
  }

  /// Of a ``depth``, the one whose elements have what is here; nil if the objects themselves have it.
  var outer: FieldPath? {
    guard let nested, !nested.isEmpty else { return nil }
    let isOfCollection = nested.count == 1 && property.collection != .none
    return FieldPath(
      steps: steps, property: property, nested: isOfCollection ? nil : nested.dropLast())
  }
}
