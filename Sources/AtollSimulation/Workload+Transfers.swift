import AtollStorage
import AtollVocabulary

// Accounts, between which money moves: their sum shows a transaction that is seen in part.
extension Workload {
  static let accountClass = ClassSchema(
    name: "Account", primaryKey: "number",
    properties: [
      PropertySchema(name: "number", type: .int), PropertySchema(name: "balance", type: .int),
    ])

  private static let accounts: ClosedRange<Int64> = 1...5
  /// The first balance of every account, the same for all that make it, so that it is there once.
  private static let beginning: Int64 = 100

  func transfer(
    _ file: StoreFile, isTheft: Bool, using random: inout SeededGenerator
  ) throws(StorageError) {
    let amount = Int64.random(in: 1...50, using: &random)
    let from = Int64.random(in: Self.accounts, using: &random)
    let to = Int64.random(in: Self.accounts, using: &random)
    try add(-amount, to: from, file)
    if !isTheft { try add(amount, to: to, file) }
  }

  private func add(_ amount: Int64, to number: Int64, _ file: StoreFile) throws(StorageError) {
    let balance = property("balance", of: account)
    let key = PersistedValue.int(number)
    let id: RowID
    if let found = try file.find(account.id, key: key) {
      id = found
    } else {
      id = try file.create(
        account.id, key: key,
        fields: [NewField(balance, .scalar(.int(Self.beginning)), isAssigned: false)])
    }
    try file.increment(account.id, id: id, FieldPath(balance), by: amount)
  }

  /// Returns the sum of all accounts, which has to stay the same.
  func total(_ file: StoreFile) throws(StorageError) -> (sum: Int64, expected: Int64) {
    var sum: Int64 = 0
    var count: Int64 = 0
    try file.beginRead()
    for number in Self.accounts {
      guard let id = try file.find(account.id, key: .int(number)),
        let row = try file.row(of: account.id, id: id),
        let column = account.column([property("balance", of: account)]),
        case .int(let balance) = row.columns[column]
      else { continue }
      sum += balance
      count += 1
    }
    try file.endRead()
    return (sum, count * Self.beginning)
  }
}
