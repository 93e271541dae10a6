import AtollStorage
public import Dispatch
public import Foundation

/// What became of sectioned results that are observed.
///
/// Sections and objects of the state before are named by their places in it, the others by their places
/// in the present one. Objects of sections that came or went are not named one by one.
public enum SectionedResultsChange<Collection> {
  /// The sections there are when observation begins.
  case initial(Collection)
  /// Another state; index paths are a section and an index in it.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
  /// Observation ended because the store could not be read.
  case error(any Error)
}

extension SectionedResults {
  /// Calls `block` with the sections there are, and again whenever sections or their objects come,
  /// go or change; for the arguments see ``Results/observe(keyPaths:on:_:)-(_,_,(ResultsChange<Results<Element>>)->Void)``.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (SectionedResultsChange<SectionedResults<Key, Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block)) { $0 }
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block:
      @escaping @Sendable (
        SectionedResultsChange<SectionedResults<Key, Element>>, ChangeDetails
      ) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block)) { $0 }
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of this store, `block` is given these sections.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block:
      @escaping @Sendable (isolated A, SectionedResultsChange<SectionedResults<Key, Element>>)
      -> Void
  ) -> NotificationToken {
    observe(keyPaths, TurnPlace(actor), ObserverBlock(in: actor, block)) { $0 }
  }

  /// The changes of the sections as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<SectionedResultsChange<SectionedResults<Key, Element>>> {
    results.prepare("Observing sections")
    return ObservedChanges { SectionsTracker(self, nil) }
  }

  /// Observes the sections, or with `wrap` something about them.
  func observe<Tracker: ChangeTracker>(
    _ keyPaths: [String]?, _ place: TurnPlace?, _ block: ObserverBlock<Tracker.Change>,
    as wrap: @escaping (SectionsTracker<Key, Element>) -> Tracker
  ) -> NotificationToken {
    results.prepare("Observing sections")
    _ = ObservedParts(keyPaths, of: results.table)
    let observers = store.observers(on: place)
    let description = QueryDescription(results, isOwn: false)
    let own = observers.belongs(to: store) ? Confined(value: self) : nil
    let (areRuns, read) = (areRuns, read)
    return Observation<Tracker>(
      observers,
      make: { store throws(Store.Error) in
        let sections =
          own?.value
          ?? SectionedResults(description.results(in: store), areRuns: areRuns, read)
        return wrap(SectionsTracker(sections, keyPaths))
      }, block: block
    ).start()
  }
}

/// What an observer of sections was last shown, and how the present differs from it.
///
/// Sections by a property are followed row by row; a function may look at anything, and is asked about
/// every object again when something changed that it may have looked at.
struct SectionsTracker<Key: Hashable, Element: Object>: ChangeTracker {
  typealias Sections = SectionedResults<Key, Element>

  let sections: Sections
  private let parts: ObservedParts
  private let region: Set<ClassID>
  private var following = SectionedRows<Key>([])
  private var rows: SelectedRows
  private(set) var number = CommitNumber(0)
  private(set) var details = ChangeDetails()

  init(_ sections: Sections, _ paths: [String]?) {
    self.sections = sections
    parts = ObservedParts(paths, of: sections.results.table)
    rows = SelectedRows(sections.results.query, of: sections.results.table)
    region = rows.region
  }

  var store: Store { sections.store }
  var shown: [Sections.Section] { following.sections }

  static func failure(_ error: Store.Error) -> SectionedResultsChange<Sections>? { .error(error) }

  mutating func start() throws(Store.Error) -> SectionedResultsChange<Sections>? {
    store.moveOn()
    number = store.commitNumber
    read()
    return .initial(sections)
  }

  mutating func advance() throws(Store.Error) -> SectionedResultsChange<Sections>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try store.effects(after: number)
    number = store.commitNumber
    guard effects.touches(region.union(parts.classes)) else { return nil }
    let modified = try parts.changed(effects, in: store)
    details = ChangeDetails(origins: effects.origins)
    if let difference = try follow(effects) {
      sections.take(shown)
      return update(difference, difference.stayed(rows.indices(of: modified)))
    }
    let before = shown
    read()
    return update(from: before, modified)
  }

  private mutating func read() {
    following = SectionedRows(sections.current)
    if sections.areRuns { rows.take(following.ids) }
  }

  /// Follows some commits row by row; nil if everything has to be read.
  private mutating func follow(
    _ effects: CommitEffects
  ) throws(Store.Error) -> SectionedRows<Key>.Difference? {
    guard sections.areRuns, let replacement = try rows.replace(effects, in: store) else {
      return nil
    }
    return following.follow(
      replacement, key: sections.keys(of: replacement.placed.map(\.row)))
  }

  private func update(
    _ difference: SectionedRows<Key>.Difference, _ modifications: [IndexPath]
  ) -> SectionedResultsChange<Sections>? {
    if difference.isEmpty, modifications.isEmpty { return nil }
    return .update(
      sections, deletions: difference.deletions, insertions: difference.insertions,
      modifications: modifications, sectionsToInsert: difference.new,
      sectionsToDelete: difference.gone)
  }

  private func update(
    from before: [Sections.Section], _ modified: ChangedObjects
  ) -> SectionedResultsChange<Sections>? {
    let places = Self.places(before)
    let present = Self.places(shown)
    var difference = SectionedRows<Key>.Difference()
    difference.gone = IndexSet(before.indices.filter { present[before[$0].key] == nil })
    difference.new = IndexSet(shown.indices.filter { places[shown[$0].key] == nil })
    var modifications: [IndexPath] = []
    for (index, section) in shown.enumerated() {
      guard let old = places[section.key] else { continue }
      let rows = ResultsDifference(
        from: before[old].ids, to: section.ids, isAscending: false, isModified: modified.contains)
      difference.deletions += rows.deletions.map { [old, $0] }
      difference.insertions += rows.insertions.map { [index, $0] }
      modifications += rows.modifications.map { [index, $0] }
    }
    difference.deletions.sort()
    return update(difference, modifications)
  }

  private static func places(_ sections: [Sections.Section]) -> [Key: Int] {
    Dictionary(
      sections.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
