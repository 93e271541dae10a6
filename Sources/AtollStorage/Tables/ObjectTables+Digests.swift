import AtollChanges
import AtollSQLite
import AtollVocabulary

/// The growth that a transaction brings to the sums over the classes' objects.
struct DigestGrowth {
  /// By class number.
  private var sums: [StateDigest] = []

  mutating func add(_ sum: StateDigest, to entry: ClassEntry) {
    let index = Int(entry.id.rawValue)
    while sums.count <= index { sums.append(.zero) }
    sums[index] += sum
  }

  /// The classes whose sum is another one now, ascending.
  var changed: [(ClassID, StateDigest)] {
    sums.indices.compactMap { index in
      sums[index] == .zero ? nil : (ClassID(Int32(index)), sums[index])
    }
  }
}

// The digests of the classes, kept up with every change in the transaction that makes it.
extension ObjectTables {
  /// Takes hashes off a class's sum and puts others on.
  func redigest(
    _ entry: ClassEntry, minus old: StateDigest = .zero, plus new: StateDigest = .zero
  ) {
    guard old != new else { return }
    transaction?.digests.add(new - old, to: entry)
  }

  /// Writes down what the open transaction added.
  func storeDigests(_ transaction: WriteTransaction) throws {
    for (id, growth) in transaction.digests.changed {
      let sum = try keptDigest(id) + growth
      let statement = try statement(
        "INSERT OR REPLACE INTO atoll_digest (class, high, low) VALUES (?, ?, ?)")
      statement.bind(Int64(id.rawValue), at: 1)
      statement.bind(sum.high, at: 2)
      statement.bind(sum.low, at: 3)
      try statement.run()
    }
  }

  var objectClasses: [ClassEntry] { catalog.entries.filter { !$0.isEmbedded } }

  func keptDigest(_ id: ClassID) throws -> StateDigest {
    let statement = try statement("SELECT high, low FROM atoll_digest WHERE class = ?")
    statement.bind(Int64(id.rawValue), at: 1)
    guard try statement.step() else { return .zero }
    defer { statement.reset() }
    return StateDigest(high: statement.uint64(at: 0), low: statement.uint64(at: 1))
  }

  func computedDigests() throws -> [(class: StoredClass, digest: StateDigest)] {
    try objectClasses.map { ($0.storedClass, try computedDigest($0)) }
  }

  func computedDigest(
    _ entry: ClassEntry, countingRemoved countsRemoved: Bool = false
  ) throws -> StateDigest {
    var sum = StateDigest.zero
    try forEachDigest(of: entry, countingRemoved: countsRemoved) { sum += $2 }
    return sum
  }
}
