import AtollQuery
import AtollStorage
import AtollVocabulary

/// The rows of one listing in their order, as of one commit: of the one that a person scrolls in.
struct ListingOrder {
  private struct Order {
    let query: StoreQuery
    let commit: CommitNumber
    let ids: [RowID]
  }

  private var order: Order?

  /// The rows of a query on the snapshot that is shown, eight bytes each.
  mutating func ids(of query: StoreQuery, in file: StoreFile) throws -> [RowID] {
    let commit = try file.commitNumber()
    if let order, order.query == query, order.commit == commit { return order.ids }
    // The former one goes first, so that two are never in memory.
    order = nil
    let ids = try file.ids(query)
    order = Order(query: query, commit: commit, ids: ids)
    return ids
  }
}
