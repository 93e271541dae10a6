import AtollStorage
import AtollVocabulary

/// The parts of a class's objects that an observer of a collection is notified of.
struct ObservedParts {
  private enum Choice {
    case paths([ObservedPath])
    /// Everything that the objects have and link to.
    case everything(ObservedLinks)
  }

  private let choice: Choice
  /// The classes of the objects that are meant.
  let classes: Set<ClassID>

  /// `paths` as the observer named them, nil for everything; stops if a name is unknown.
  init(_ paths: [String]?, of table: Table) {
    if let paths {
      let paths = paths.map { ObservedPath($0, from: table, under: []) }
      choice = .paths(paths)
      classes = Set(paths.flatMap(\.hops).flatMap { [$0.classID] + ($0.target.map { [$0] } ?? []) })
    } else {
      let links = ObservedLinks(leadingFrom: table.classID, in: table.store)
      choice = .everything(links)
      classes = Set(links.distances.keys)
    }
  }

  /// The objects that changed in what is meant.
  func changed(
    _ effects: CommitEffects, in store: Store
  ) throws(Store.Error) -> ChangedObjects {
    guard effects.touches(classes) else { return ChangedObjects() }
    switch choice {
    case .everything(let links): return try ChangedObjects(reaching: links, effects, in: store)
    case .paths(let paths):
      var changed = ChangedObjects()
      for path in paths {
        changed.formUnion(try ChangedObjects(along: path, effects, in: store))
      }
      return changed
    }
  }
}
