// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class Lot: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var title: String
  @Persisted var bids: List<Bid>

  var highest: Double { bids.max(of: \.amount) ?? 0 }
}

final class Bid: EmbeddedObject {
  @Persisted var bidder: String
  @Persisted var amount: Double
}

struct LotSummary: Sendable, Hashable {
  var title: String
  var highest: Double
}

@globalActor actor AuctionActor: GlobalActor {
  static let shared = AuctionActor()
}

/// Everything of the auction happens in one global actor.
@AuctionActor final class AuctionHouse {
  private var cached: Realm?
  private let configuration: Realm.Configuration
  private var token: NotificationToken?
  private(set) var log: [String] = []

  init(configuration: Realm.Configuration) { self.configuration = configuration }

  private func realm() async throws -> Realm {
    if let cached { return cached }
    let realm = try await Realm(configuration: configuration, actor: AuctionActor.shared)
    cached = realm
    return realm
  }

  func add(_ title: String) async throws -> Int {
    let realm = try await realm()
    return try await realm.asyncWrite {
      let number = (realm.objects(Lot.self).max(of: \.number) ?? 0) + 1
      return realm.create(Lot.self, value: ["number": number, "title": title]).number
    }
  }

  func bid(_ amount: Double, on number: Int, by bidder: String) async throws -> Bool {
    let realm = try await realm()
    await realm.asyncRefresh()
    guard let lot = realm.object(ofType: Lot.self, forPrimaryKey: number) else { return false }
    return try await realm.asyncWrite {
      guard amount > lot.highest else { return false }
      lot.bids.append(Bid(value: ["bidder": bidder, "amount": amount]))
      return true
    }
  }

  func summaries() async throws -> [LotSummary] {
    try await realm().objects(Lot.self).sorted(byKeyPath: "number")
      .map { LotSummary(title: $0.title, highest: $0.highest) }
  }

  func watch() async throws {
    let lots = try await realm().objects(Lot.self)
    token = lots.observe(keyPaths: ["bids.amount"], on: AuctionActor.shared) {
      [weak self] _, changes in
      guard case .update(let lots, _, _, let modifications) = changes else { return }
      let lines = modifications.map { "\(lots[$0].title) \(lots[$0].highest)" }
      Task { @AuctionActor in self?.log += lines }
    }
  }

  func end() {
    token?.invalidate()
    cached = nil
  }
}

extension CommonDeclarations {
  @Test(.timeLimit(.minutes(1))) func `an auction in a global actor`() async throws {
    let files = ApplicationFiles()
    let house = await AuctionHouse(configuration: files.configuration([Lot.self, Bid.self]))
    #expect(try await house.add("Clock") == 1)
    #expect(try await house.add("Vase") == 2)
    try await house.watch()
    let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for amount in [10.0, 20, 30] {
        group.addTask { try await house.bid(amount, on: 2, by: "b\(amount)") }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(accepted >= 1)
    #expect(try await house.bid(5, on: 2, by: "late") == false)
    #expect(try await house.bid(5, on: 3, by: "nowhere") == false)
    let summaries = try await house.summaries()
    #expect(summaries == [.init(title: "Clock", highest: 0), .init(title: "Vase", highest: 30)])
    while await house.log.last != "Vase 30.0" { await Task.yield() }
    await house.end()
  }
}
