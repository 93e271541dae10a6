// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class VocabularyDeck: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var cards: List<VocabularyCard>
  @Persisted var colour: Colour = .blue

  enum Colour: String, PersistableEnum, CaseIterable, Identifiable {
    case red, blue
    var id: Self { self }
  }
}

class VocabularyCard: EmbeddedObject {
  @Persisted var front: String
  @Persisted var back: String
  @Persisted var box: Int = 1
  @Persisted var due: Date?
  @Persisted(originProperty: "cards") var deck: LinkingObjects<VocabularyDeck>

  func answer(_ isRight: Bool) {
    box = isRight ? min(box + 1, 5) : 1
    due = Calendar.current.date(byAdding: .day, value: 1 << box, to: Date())
  }
}

/// Ships a file with the application, copies and replaces files.
struct VocabularyFiles {
  let folder: URL
  let types: [ObjectBase.Type] = [VocabularyDeck.self, VocabularyCard.self]

  var bundled: Realm.Configuration {
    Realm.Configuration(
      fileURL: folder.appendingPathComponent("bundled.realm"), readOnly: true, objectTypes: types)
  }

  var mine: Realm.Configuration {
    var config = Realm.Configuration.defaultConfiguration
    config.fileURL!.deleteLastPathComponent()
    config.fileURL = folder.appendingPathComponent("mine").appendingPathExtension("realm")
    config.seedFilePath = bundled.fileURL
    config.objectTypes = types
    return config
  }

  func makeBundle() throws {
    try autoreleasepool {
      let config = Realm.Configuration(inMemoryIdentifier: "bundle", objectTypes: types)
      let realm = try Realm(configuration: config)
      try realm.write {
        let deck = VocabularyDeck(value: ["name": "Basics"])
        for (front, back) in [("uno", "one"), ("due", "two"), ("tre", "three")] {
          deck.cards.append(VocabularyCard(value: ["front": front, "back": back]))
        }
        realm.add(deck)
      }
      try realm.writeCopy(toFile: bundled.fileURL!)
    }
  }

  func reset() {
    do {
      let existed = try Realm.deleteFiles(for: mine)
      #expect(existed)
    } catch {
      Issue.record(error)
    }
  }
}

extension CommonDeclarations {
  @Test func `vocabulary that comes in a file of the application`() throws {
    let files = VocabularyFiles(folder: ApplicationFiles().folder.url)
    try FileManager.default.createDirectory(at: files.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: files.folder) }
    try files.makeBundle()
    #expect(!Realm.fileExists(for: files.mine) && Realm.fileExists(for: files.bundled))
    try autoreleasepool {
      let realm = try Realm(configuration: files.mine)
      let deck = try #require(realm.objects(VocabularyDeck.self).first)
      try realm.write {
        deck.cards[0].answer(true)
        deck.cards[0].answer(true)
        deck.cards[1].answer(false)
        deck.colour = .red
      }
      #expect(deck.cards.map(\.box) == [3, 1, 1] && deck.cards[2].deck.first == deck)
      #expect(
        deck.cards.filter { $0.due == nil }.count == 1
          && deck.cards.filter({ $0.box > 1 }).first?.front == "uno")
      #expect(deck.cards.sorted { $0.front < $1.front }.map(\.back) == ["two", "three", "one"])
      #expect(realm.objects(VocabularyDeck.self).where { $0.cards.box == 3 }.count == 1)
      #expect(
        deck.cards.firstIndex { $0.back == "three" } == 2 && deck.cards.contains(deck.cards[1]))
    }
    try autoreleasepool {
      let shipped = try Realm(configuration: files.bundled)
      let deck = shipped.objects(VocabularyDeck.self).first
      #expect(
        deck?.cards.max(of: \.box) == 1 && deck?.colour == .blue && shipped.configuration.readOnly)
    }
    files.reset()
    #expect(!Realm.fileExists(for: files.mine))
    #expect(
      try Realm(configuration: files.mine).objects(VocabularyDeck.self).first?.colour.id == .blue)
  }
}
