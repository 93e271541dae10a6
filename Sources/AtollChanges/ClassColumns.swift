import AtollVocabulary

/// The columns that an author's declarations give each class a table of.
///
/// One for a value, a link or an embedded object's presence; one more for the type of an any-typed value;
/// none for a collection, which has a table of its own; and within an embedded object those of its class,
/// if that does not contain the owner. Counted by an author's own declarations in their order, so that
/// every replica comes to the same number.
struct ClassColumns: Sendable {
  /// Of each class, by its number.
  private var counts: [Int] = []
  /// The classes that have an object of each class in their rows, once for every property.
  private var owners: [[Int]] = []
  /// The number of properties each class has, collections among them.
  private var properties: [Int] = []

  mutating func addClass() {
    counts.append(0)
    owners.append([])
    properties.append(0)
  }

  /// Counts a property's columns.
  ///
  /// - Returns: The class whose table would get too wide, and its columns; nothing is counted then.
  mutating func add(_ property: PropertyDeclaration) -> (class: Int, columns: Int)? {
    let owner = Int(property.owner.rawValue)
    var added = property.collection == .none ? (property.type == .any ? 2 : 1) : 0
    var isSlot = false
    if property.type == .embedded, property.collection == .none, let target = property.target {
      isSlot = !contains(owner, in: Int(target.rawValue))
      if isSlot { added += counts[Int(target.rawValue)] }
    }
    guard properties[owner] < Limits.classColumns else { return (owner, properties[owner] + 1) }
    if owners[owner].isEmpty {
      guard counts[owner] + added <= Limits.classColumns else {
        return (owner, counts[owner] + added)
      }
      counts[owner] += added
    } else if let tooWide = widen(owner, by: added) {
      return tooWide
    }
    properties[owner] += 1
    if isSlot, let target = property.target { owners[Int(target.rawValue)].append(owner) }
    return nil
  }

  /// Tells whether an object of `outer` has one of `inner` in its rows, however deep.
  private func contains(_ inner: Int, in outer: Int) -> Bool {
    var (found, open): (Set<Int>, [Int]) = ([inner], [inner])
    while let next = open.popLast() {
      if next == outer { return true }
      for owner in owners[next] where found.insert(owner).inserted { open.append(owner) }
    }
    return false
  }

  /// Adds to a class and to all that have it in their rows; the first that gets too wide, with nothing
  /// added.
  ///
  /// Ends soon: every step adds to a count that may not exceed the limit.
  private mutating func widen(_ first: Int, by columns: Int) -> (class: Int, columns: Int)? {
    guard columns > 0 else { return nil }
    var grown = counts
    var open = [first]
    while let next = open.popLast() {
      grown[next] += columns
      if grown[next] > Limits.classColumns { return (next, grown[next]) }
      open += owners[next]
    }
    counts = grown
    return nil
  }
}
