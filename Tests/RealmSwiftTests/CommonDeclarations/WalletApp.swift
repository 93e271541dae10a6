// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

/// A model and a class of the application that are named as types of the library are.
class Store: Object {
  @Persisted(primaryKey: true) var slug: String
  @Persisted var title: String?
  @Persisted var receipts: List<WalletReceipt>
}

class WalletReceipt: Object, ObjectKeyIdentifiable {
  @Persisted var store: Store?
  @Persisted var snapshot: Data?
  @Persisted var changes: List<Double>
  @Persisted var source: String = "scan"
  @Persisted var layout: Int = 0
  @Persisted var row: Int?
  @Persisted var amount: Decimal128
  @Persisted var createdAt = Date()

  @Persisted(primaryKey: true) var objectId: ObjectId

  convenience init(store: Store, amount: Decimal128) {
    self.init()
    self.store = store
    self.amount = amount
  }
}

class WalletDetails: EmbeddedObject {
  @Persisted var store: String = ""
}

final class Sync<T: Object> {
  private let objects: Results<T>
  init(_ objects: Results<T>) { self.objects = objects }
  var pending: Int { objects.count }
}

/// Configurations by name, and realms from them; none where a file cannot be opened.
struct WalletRealmProvider {
  let configuration: Realm.Configuration

  var realm: Realm? {
    do {
      return try Realm(configuration: configuration)
    } catch {
      print(error.localizedDescription)
      return nil
    }
  }

  static func wallet(_ folder: URL) -> WalletRealmProvider {
    WalletRealmProvider(
      configuration: Realm.Configuration(
        fileURL: folder.appendingPathComponent("wallet.realm"), schemaVersion: 2,
        shouldCompactOnLaunch: { totalBytes, usedBytes in
          let hundredMB = 100 * 1024 * 1024
          return totalBytes > hundredMB && Double(usedBytes) / Double(totalBytes) < 0.5
        }, objectTypes: [Store.self, WalletReceipt.self]))
  }

  static let preview = WalletRealmProvider(
    configuration: Realm.Configuration(
      inMemoryIdentifier: "preview", objectTypes: [Store.self, WalletReceipt.self]))
}

extension CommonDeclarations {
  @Test func `a wallet whose models are named as the library's types`() throws {
    let files = ApplicationFiles()
    let provider = WalletRealmProvider.wallet(files.folder.url)
    let realm = try #require(provider.realm)
    let bakery = Store(value: ["slug": "bakery"])
    let receipt = WalletReceipt(store: bakery, amount: "4.20")
    try realm.write {
      realm.add(receipt)
      bakery.receipts.append(receipt)
      receipt.changes.append(objectsIn: [0.8, 5])
      receipt.snapshot = Data([1, 2])
    }
    let receipts = realm.objects(WalletReceipt.self)
    #expect(receipts.first?.store?.slug == "bakery" && receipts.first?.realm === realm)
    #expect(receipts.where { $0.store.slug == "bakery" && $0.source == "scan" }.count == 1)
    #expect(receipts.filter("store == %@ AND layout == 0 AND row == nil", bakery).first == receipt)
    #expect(receipts.where { $0.store == bakery }.first?.snapshot?.count == 2)
    #expect(receipt.freeze().store?.realm?.isFrozen == true && receipt.changes.sum() == 5.8)
    #expect(
      receipt.objectSchema["store"]?.objectClassName == "Store" && !receipt.description.isEmpty)
    #expect(Sync(receipts).pending == 1 && WalletDetails(value: ["store": "x"]).store == "x")
    let preview = try #require(WalletRealmProvider.preview.realm)
    try preview.write {
      // Of another realm, so it is copied.
      preview.create(WalletReceipt.self, value: receipt, update: .modified)
    }
    let copy = preview.objects(WalletReceipt.self).first
    #expect(copy?.store?.slug == "bakery" && copy?.store?.realm === preview && copy != receipt)
    let broken = WalletRealmProvider(
      configuration: Realm.Configuration(
        fileURL: files.folder.file("none"), readOnly: true, objectTypes: [Store.self]))
    #expect(broken.realm == nil)
  }
}
