import AtollStorage
import AtollVocabulary

/// The links among the classes of a store, as far as an observer of one class looks.
struct ObservedLinks {
  struct Link {
    var hop: ObservedPath.Hop
    var target: ClassID
  }

  /// The depth of links at which an observer of a collection looks.
  static let maximumDepth = 4

  let classID: ClassID
  private(set) var all: [Link] = []
  /// The number of links from the observed class to each other one; absent if there are too many.
  private(set) var distances: [ClassID: Int]

  init(leadingFrom classID: ClassID, in store: Store) {
    self.classID = classID
    for table in store.tables where !table.model.isEmbedded {
      for column in table.stored.columns {
        guard let last = column.properties.last, last.type == .link, let target = last.target
        else { continue }
        all.append(
          Link(
            hop: .init(table.classID, column.properties),
            target: target))
      }
    }
    distances = [classID: 0]
    for depth in 1..<Self.maximumDepth + 1 {
      for link in all where distances[link.hop.classID] == depth - 1 {
        if distances[link.target] == nil { distances[link.target] = depth }
      }
    }
  }

  /// Tells whether the link's object is near enough for what is `depth` links beyond it to count.
  func isWithin(_ link: Link, _ depth: Int) -> Bool {
    depth + (distances[link.hop.classID] ?? Self.maximumDepth) <= Self.maximumDepth
  }
}
