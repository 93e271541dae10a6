import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Two builds of one program: what the older does not know stays, and is there after the upgrade.
@Suite struct SkewTests {
  enum OldState: String, PersistableEnum {
    case open
    case closed
  }

  enum NewState: String, PersistableEnum {
    case open
    case closed
    case onHold
  }

  final class OldTicket: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var state: OldState?
    @Persisted var past: List<OldState?>
    @Persisted var title: String

    override class func className() -> String { "Ticket" }
  }

  final class NewTicket: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var state: NewState?
    @Persisted var past: List<NewState?>
    @Persisted var title: String
    @Persisted var owner: Person?

    override class func className() -> String { "Ticket" }
  }

  final class Person: Object {
    @Persisted(primaryKey: true) var name: String
  }

  @Test func `a case, a property and a class of a newer build pass through an older one`() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let (mine, theirs) = (folder.file("mine"), folder.file("theirs"))
    do {
      let store = try open(mine, [NewTicket.self, Person.self])
      try store.write {
        let ticket = store.create(
          NewTicket.self, value: ["id": 1, "state": NewState.onHold, "title": "a"])
        ticket.past.append(objectsIn: [.open, .onHold])
        ticket.owner = store.create(Person.self, value: ["name": "Ada"])
      }
    }
    try send(from: mine, to: theirs)
    do {
      let store = try open(theirs, [OldTicket.self])
      let ticket = try #require(store.object(ofType: OldTicket.self, forPrimaryKey: 1))
      #expect(ticket.state == nil)
      #expect(Array(ticket.past) == [.open, nil])
      try store.write { ticket.title = "b" }
    }
    let file = try StoreFile.open(theirs.path)
    #expect(try file.counts().map { "\($0.objects) \($0.class.name)" } == ["1 Person", "1 Ticket"])
    file.close()
    try send(from: theirs, to: mine)
    for url in [mine, theirs] {
      let store = try open(url, [NewTicket.self, Person.self])
      let ticket = try #require(store.object(ofType: NewTicket.self, forPrimaryKey: 1))
      #expect(ticket.state == .onHold)
      #expect(Array(ticket.past) == [.open, .onHold])
      #expect(ticket.owner?.name == "Ada")
      #expect(ticket.title == "b")
    }
  }

  private func open(_ url: URL, _ types: [ObjectBase.Type]) throws -> Store {
    try Store(configuration: Store.Configuration(fileURL: url, objectTypes: types))
  }

  /// Everything that one file has and the other lacks, as a link brings it.
  private func send(from source: URL, to target: URL) throws {
    let source = try StoreFile.open(source.path)
    let target = try StoreFile.open(target.path, options: StoreOptions(storeID: source.storeID))
    defer {
      source.close()
      target.close()
    }
    let lacking = try source.entries(
      lackedBy: try target.appliedVector(), after: .start, limitBytes: 1 << 20)
    for entry in lacking.entries {
      let outcome = try target.apply([
        IncomingChangeset(
          author: entry.id.author, sequence: entry.id.sequence, bytes: entry.bytes,
          expectedHash: entry.id.hash)
      ])
      guard case .applied? = outcome.first else {
        Issue.record("\(outcome)")
        return
      }
    }
    #expect(try source.digest() == target.digest())
  }
}
