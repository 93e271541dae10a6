// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class JournalEntry: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var title = ""
  @Persisted var body = ""
  @Persisted var mood: Mood = .calm
  @Persisted var createdAt = Date()

  enum Mood: String, PersistableEnum, CaseIterable { case calm, glad, cross }
}

extension JournalEntry {
  static let preview = JournalEntry(value: ["title": "A day", "mood": "glad"])
}

/// A manager of the main actor, as SwiftUI applications have it.
@MainActor final class JournalManager {
  private(set) var realm: Realm?
  private(set) var entries: [JournalEntry] = []
  private var token: NotificationToken?
  private let configuration: Realm.Configuration

  init(configuration: Realm.Configuration) { self.configuration = configuration }

  deinit { token?.invalidate() }

  func setup() async {
    do {
      realm = try await Realm.open(configuration: configuration)
    } catch let error as NSError {
      Issue.record(error)
    } catch {
      Issue.record(error)
    }
    let results = realm?.objects(JournalEntry.self).sorted(byKeyPath: "createdAt")
    token = results?.observe(keyPaths: [\.title, \.mood]) { [weak self] changes in
      guard let self else { return }
      switch changes {
      case .initial(let results), .update(let results, _, _, _):
        self.entries = Array(results)
      case .error: break
      }
    }
  }

  /// The titles as they change, as a stream.
  func titles() -> AsyncStream<[String]> {
    AsyncStream { continuation in
      let token = realm?.objects(JournalEntry.self).observe { change in
        switch change {
        case .initial(let entries): continuation.yield(entries.map(\.title))
        case .update(let entries, deletions: _, insertions: _, modifications: _):
          continuation.yield(entries.map(\.title))
        case .error: continuation.finish()
        }
      }
      continuation.onTermination = { _ in token?.invalidate() }
    }
  }

  func add(_ entry: JournalEntry) async throws {
    try await realm?.asyncWrite { realm?.add(entry) }
  }

  /// Opens with a callback, which uses the manager as it is.
  func reopen(then done: @escaping () -> Void) {
    Realm.asyncOpen(configuration: configuration) { [weak self] result in
      if case .success(let realm) = result { self?.realm = realm }
      done()
    }
  }

  func update(id: ObjectId, mood: JournalEntry.Mood) {
    if let realm {
      do {
        let entry = realm.objects(JournalEntry.self).filter("id == %@", id)
        guard !entry.isEmpty else { return }
        try realm.write { entry[0].mood = mood }
      } catch {
        print("Error updating entry \(id): \(error)")
      }
    }
  }

  func delete(_ entry: JournalEntry) throws {
    guard let realm = entry.realm, !entry.isInvalidated else { return }
    try realm.write { realm.delete(entry) }
  }
}

extension CommonDeclarations {
  @MainActor @Test(.timeLimit(.minutes(1)))
  func `a journal that is kept by the main actor`() async throws {
    let files = ApplicationFiles()
    let manager = JournalManager(configuration: files.configuration([JournalEntry.self]))
    await manager.setup()
    let entry = JournalEntry(value: JournalEntry.preview)
    try await manager.add(entry)
    await wait(until: { manager.entries.count == 1 })
    manager.update(id: entry.id, mood: .cross)
    var seen: [[String]] = []
    for await titles in manager.titles() {
      seen.append(titles)
      if titles.count == 2 { break }
      try await manager.add(JournalEntry(value: ["title": "Another", "body": "…"]))
    }
    #expect(seen == [["A day"], ["A day", "Another"]])
    #expect(entry.mood == .cross && JournalEntry.preview.mood == .glad)
    await withCheckedContinuation { done in manager.reopen { done.resume() } }
    #expect(manager.realm == entry.realm)
    try manager.delete(entry)
    await wait(until: { manager.entries.count == 1 })
    try manager.delete(entry)
    #expect(manager.entries.map(\.title) == ["Another"] && JournalEntry.preview.realm == nil)
  }
}
