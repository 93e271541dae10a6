import AtollQuery
import AtollStorage
import AtollVocabulary

/// The rows of a few listings in their order, as of one commit.
struct ListingOrders {
  private struct Order {
    let query: StoreQuery
    let commit: CommitNumber
    let ids: [RowID]
  }

  /// The one that was read last at the end.
  private var orders: [Order] = []
  /// A person looks at one, and at the one before it.
  private static let kept = 2

  /// The rows of a query on the snapshot that is shown, eight bytes each.
  mutating func ids(of query: StoreQuery, in file: StoreFile) throws -> [RowID] {
    let commit = try file.commitNumber()
    if let index = orders.firstIndex(where: { $0.query == query && $0.commit == commit }) {
      let order = orders.remove(at: index)
      orders.append(order)
      return order.ids
    }
    let ids = try file.ids(query)
    orders.removeAll { $0.query == query }
    orders = orders.suffix(Self.kept - 1) + [Order(query: query, commit: commit, ids: ids)]
    return ids
  }
}
