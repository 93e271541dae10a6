import Atoll

// The writes of the applications of a faulty cluster. Whatever happens, on every node and at any
// moment: a writer's tally counts exactly the writer's entries, because each is made with a step of
// the tally in one transaction; and all accounts together hold nothing, because a transfer takes
// from one what it gives to another.

/// One transaction of a writer: "A1-17" is the 17th of writer A1.
final class WorkEntry: Object {
  @Persisted(primaryKey: true) var id: String
  @Persisted(indexed: true) var writer: String
  @Persisted var text: String
  @Persisted var tags: MutableSet<Int>
  @Persisted var steps: List<Int>
}

/// The number of entries of a writer.
final class WorkTally: Object {
  @Persisted(primaryKey: true) var writer: String
  @Persisted var count: Int
}

/// An account of transfers, shared by all writers.
final class WorkAccount: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var balance: Int
  @Persisted var note: String?
}

enum WorkModel {
  static let classes: [ObjectBase.Type] = [WorkEntry.self, WorkTally.self, WorkAccount.self]
  static let accounts = 8

  static func entryID(_ writer: String, _ number: Int) -> String { "\(writer)-\(number)" }

  /// The promises that a look at one moment of a store finds broken.
  static func broken(in store: Store) -> [String] {
    var broken: [String] = []
    for tally in store.objects(WorkTally.self) {
      let writer = tally.writer
      let entries = store.objects(WorkEntry.self).where { $0.writer == writer }.count
      if entries != tally.count {
        broken.append("writer \(writer) has \(entries) entries and a tally of \(tally.count)")
      }
    }
    let total: Int = store.objects(WorkAccount.self).sum(of: \.balance)
    if total != 0 { broken.append("all accounts together hold \(total) instead of nothing") }
    return broken
  }
}
