import AtollVocabulary
public import Dispatch
import AtollStorage
import Foundation

extension ResultsSection {
  /// Calls `block` with the section, and again whenever objects come into it, leave it or change in it.
  ///
  /// Index paths are the section's place among the sections and an index in it. The section is told to be
  /// inserted or deleted when it comes or goes; one that is not there is empty. For the arguments see
  /// `observe` of ``Results``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (SectionedResultsChange<ResultsSection<Key, Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block:
      @escaping @Sendable (
        SectionedResultsChange<ResultsSection<Key, Element>>, ChangeDetails
      ) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block:
      @escaping @Sendable (isolated A, SectionedResultsChange<ResultsSection<Key, Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// The changes of the section as an asynchronous sequence, beginning with the section as it is.
  public var changes: ObservedChanges<SectionedResultsChange<ResultsSection<Key, Element>>> {
    sections.results.prepare("Observing a section")
    let (sections, key) = (sections, key)
    return ObservedChanges { SectionTracker(SectionsTracker(sections, nil), key) }
  }

  private func observe(
    _ keyPaths: [String]?, _ place: TurnPlace?,
    _ block: ObserverBlock<SectionedResultsChange<ResultsSection<Key, Element>>>
  ) -> NotificationToken {
    let key = Confined(value: key)
    return sections.observe(keyPaths, place, block) { SectionTracker($0, key.value) }
  }
}

/// The contents that an observer of one section was last shown, and the difference to the present
/// ones.
private struct SectionTracker<Key: Hashable, Element: Object>: ChangeTracker {
  private var tracker: SectionsTracker<Key, Element>
  private let key: Key

  init(_ tracker: SectionsTracker<Key, Element>, _ key: Key) {
    self.tracker = tracker
    self.key = key
  }

  var store: Store { tracker.store }
  var number: CommitNumber { tracker.number }
  var details: ChangeDetails { tracker.details }

  static func failure(
    _ error: Store.Error
  ) -> SectionedResultsChange<ResultsSection<Key, Element>>? { .error(error) }

  private var section: ResultsSection<Key, Element> {
    tracker.sections.section(key) ?? ResultsSection(absent: key, from: tracker.sections)
  }

  private var place: Int? { tracker.shown.keys.firstIndex(of: key) }

  mutating func start() throws(Store.Error) -> SectionedResultsChange<
    ResultsSection<Key, Element>
  >? {
    _ = try tracker.start()
    return .initial(section)
  }

  mutating func advance() throws(Store.Error) -> SectionedResultsChange<
    ResultsSection<Key, Element>
  >? {
    let before = place
    guard
      case .update(_, let deletions, let insertions, let modifications, let new, let gone) =
        try tracker.advance()
    else { return nil }
    let after = place
    let isOld = { (path: IndexPath) in path.first == before }
    let isPresent = { (path: IndexPath) in path.first == after }
    let change = (
      deletions: deletions.filter(isOld), insertions: insertions.filter(isPresent),
      modifications: modifications.filter(isPresent),
      new: new.filteredIndexSet { $0 == after }, gone: gone.filteredIndexSet { $0 == before }
    )
    if change.deletions.isEmpty, change.insertions.isEmpty, change.modifications.isEmpty,
      change.new.isEmpty, change.gone.isEmpty
    {
      return nil
    }
    return .update(
      section, deletions: change.deletions, insertions: change.insertions,
      modifications: change.modifications, sectionsToInsert: change.new,
      sectionsToDelete: change.gone)
  }
}
