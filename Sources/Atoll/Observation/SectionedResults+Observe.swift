import AtollQuery
import AtollStorage
import AtollVocabulary
public import Dispatch
public import Foundation

/// A change of observed sectioned results.
///
/// Sections and objects of the state before are named by their places in it, the others by their places
/// in the present one. Objects of sections that came or went are not named one by one. Of sections that
/// changed places among each other as many as possible stay, and the others went and came.
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
  /// go or change; for the arguments see `observe` of ``Results``.
  @_disfavoredOverload
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

/// The contents that an observer of sections was last shown, and the difference to the present
/// ones.
///
/// Sections are followed row by row: those by a property where what decides was written, and those by a
/// function where anything was that the objects have or link to.
struct SectionsTracker<Key: Hashable, Element: Object>: ChangeTracker {
  typealias Sections = SectionedResults<Key, Element>

  let sections: Sections
  private let parts: ObservedParts
  /// The parts that a function which names sections may read; nil for a property.
  private let looks: ObservedParts?
  private let followed: FollowedQuery
  /// The classes whose changes can matter.
  private let reach: Set<ClassID>
  private var following = SectionedRows(SectionRows<Key>())
  private(set) var number = CommitNumber(0)
  private(set) var details = ChangeDetails()

  init(_ sections: Sections, _ paths: [String]?) {
    let results = sections.results
    self.sections = sections
    parts = ObservedParts(paths, of: results.table)
    looks = sections.areRuns ? nil : ObservedParts(nil, of: results.table)
    followed = FollowedQuery(results.query, of: results.table)
    reach = followed.region.union(parts.classes).union(looks?.classes ?? [])
  }

  var store: Store { sections.store }
  var shown: SectionRows<Key> { following.sections }

  static func failure(_ error: Store.Error) -> SectionedResultsChange<Sections>? { .error(error) }

  mutating func start() throws(Store.Error) -> SectionedResultsChange<Sections>? {
    store.moveOn()
    number = store.commitNumber
    following = SectionedRows(sections.current)
    return .initial(sections)
  }

  mutating func advance() throws(Store.Error) -> SectionedResultsChange<Sections>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try store.effects(after: number)
    number = store.commitNumber
    guard effects.touches(reach) else { return nil }
    let modified = try parts.changed(effects, in: store)
    details = ChangeDetails(origins: effects.origins)
    let difference =
      try follow(effects, modified) ?? following.replace(with: sections.current, modified)
    sections.take(shown)
    if difference.isEmpty { return nil }
    return .update(
      sections, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications, sectionsToInsert: difference.new,
      sectionsToDelete: difference.gone)
  }

  /// Follows some commits row by row; nil if everything has to be read.
  private mutating func follow(
    _ effects: CommitEffects, _ modified: ChangedObjects
  ) throws(Store.Error) -> SectionsDifference? {
    guard followed.areSeparate, followed.query.limit == nil,
      let rows = try doubtful(effects), FollowedQuery.areFew(rows, of: following.count)
    else { return nil }
    return try following.replace(
      rows, keys: sections.keys(of: rows), modified, followed.query, in: store)
  }

  /// The rows that may have come, gone, moved, or gone to another section; nil if any may.
  private func doubtful(_ effects: CommitEffects) throws(Store.Error) -> [RowID]? {
    guard let rows = try followed.doubtful(effects, in: store) else { return nil }
    guard let looks else { return rows }
    guard let seen = try looks.changed(effects, in: store).ids else { return nil }
    return seen.union(rows).sorted()
  }
}
