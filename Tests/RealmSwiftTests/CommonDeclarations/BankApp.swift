// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class BankAccount: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var owner = ""
  @Persisted var balance: Decimal128
  @Persisted var transfers: List<BankTransfer>

  static func incrementID() -> Int {
    let realm = try! Realm()
    return (realm.objects(BankAccount.self).max(ofProperty: "id") as Int? ?? 0) + 1
  }
}

class BankTransfer: EmbeddedObject {
  @Persisted var amount: Decimal128
  @Persisted var note: String?
  @Persisted var date = Date()
}

enum BankError: LocalizedError {
  case notEnough(missing: Decimal128)

  var errorDescription: String? {
    switch self {
    case .notEnough(let missing): return "\(missing) too little"
    }
  }
}

extension Realm {
  public func safeWrite(_ block: (() throws -> Void)) throws {
    if isInWriteTransaction {
      try block()
    } else {
      try write(block)
    }
  }
}

/// A service that holds the realm lazily, and throws what goes wrong inside a transaction.
final class BankService {
  static let shared = BankService()
  private init() {}

  private var realm: Realm { try! Realm() }

  func open(owner: String, balance: Decimal128) -> BankAccount {
    let account = BankAccount()
    account.id = BankAccount.incrementID()
    account.owner = owner
    account.balance = balance
    try! realm.safeWrite { realm.add(account) }
    return account
  }

  func transfer(_ amount: Decimal128, from giver: BankAccount, to taker: BankAccount) throws {
    try realm.safeWrite {
      taker.balance += amount
      giver.balance -= amount
      taker.transfers.append(
        BankTransfer(value: ["amount": amount, "note": "from \(giver.owner)"]))
      guard giver.balance >= 0 else { throw BankError.notEnough(missing: -giver.balance) }
    }
  }
}

extension CommonDeclarations {
  @Test func `accounts with numbers that count up, and transactions that fail`() throws {
    try withDefaultRealm(of: BankAccount.self, BankTransfer.self) {
      let bank = BankService.shared
      let ada = bank.open(owner: "Ada", balance: 100)
      let bo = bank.open(owner: "Bo", balance: 20.5)
      #expect(ada.id == 1 && bo.id == 2)
      try bank.transfer(30, from: ada, to: bo)
      do {
        try bank.transfer(500, from: ada, to: bo)
        Issue.record("Nobody has that much.")
      } catch let error as BankError {
        #expect(error.localizedDescription == "430 too little")
      } catch {
        Issue.record(error)
      }
      #expect(ada.balance == 70 && bo.balance == 50.5 && bo.transfers.count == 1)
      let realm = try Realm()
      try realm.write {
        try bank.transfer(1, from: bo, to: ada)
        realm.cancelWrite()
      }
      #expect(bo.balance == 50.5)
      let richest = realm.objects(BankAccount.self).max(of: \.balance)
      let total: Decimal128 = realm.objects(BankAccount.self).sum(ofProperty: "balance")
      #expect(richest == 70 && total == 120.5)
      #expect(
        realm.objects(BankAccount.self).filter("balance BETWEEN {50, 60}").first?.owner == "Bo")
      #expect(bo.transfers.first?.note?.hasSuffix("Ada") == true)
      try realm.write { realm.delete(realm.objects(BankAccount.self).filter("id IN %@", [1, 2])) }
      #expect(realm.isEmpty && BankAccount.incrementID() == 1)
    }
  }
}
