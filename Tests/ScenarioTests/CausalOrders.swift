import AtollChanges
import AtollVocabulary
import TestKit

/// A changeset and what its author had applied when it was written.
struct WrittenChangeset {
  var entry: LogEntry
  var context: VersionVector
}

/// Every order of `changesets` in which each comes after what it saw; where there are more than
/// `limit`, that many at random.
///
/// Changesets that are in `start` already are given; contexts may name them.
func causalOrders(
  of changesets: [WrittenChangeset], after start: VersionVector, limit: Int
) -> [[LogEntry]] {
  var orders: [[LogEntry]] = []
  func extend(_ order: [LogEntry], _ rest: [WrittenChangeset], _ applied: VersionVector) {
    guard orders.count <= limit else { return }
    guard !rest.isEmpty else { return orders.append(order) }
    for place in rest.indices where applied.includes(rest[place].context) {
      let (entry, remaining, known) = taking(place, of: rest, applied)
      extend(order + [entry], remaining, known)
    }
  }
  extend([], changesets, start)
  guard orders.count > limit else { return orders }
  var random = SeededRandom(seed: UInt64(changesets.count))
  return (0..<limit).map { _ in randomOrder(of: changesets, after: start, &random) }
}

private func randomOrder(
  of changesets: [WrittenChangeset], after start: VersionVector, _ random: inout SeededRandom
) -> [LogEntry] {
  var (order, rest, applied) = ([LogEntry](), changesets, start)
  while let place = rest.indices.filter({ applied.includes(rest[$0].context) })
    .randomElement(using: &random)
  {
    let (entry, remaining, known) = taking(place, of: rest, applied)
    (order, rest, applied) = (order + [entry], remaining, known)
  }
  return order
}

private func taking(
  _ place: Int, of rest: [WrittenChangeset], _ applied: VersionVector
) -> (LogEntry, [WrittenChangeset], VersionVector) {
  var (remaining, known) = (rest, applied)
  let entry = remaining.remove(at: place).entry
  known[entry.id.author] = entry.id.sequence
  return (entry, remaining, known)
}
