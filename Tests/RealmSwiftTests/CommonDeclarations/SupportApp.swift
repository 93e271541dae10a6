// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Ticket: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var author: String
  @Persisted var title: String
  @Persisted var details: String?
  @Persisted var created = Date()
  @Persisted var status = TicketStatus.notStarted
  @Persisted var comments: List<TicketComment>
  @Persisted var extra: AnyRealmValue

  enum TicketStatus: String, PersistableEnum {
    case notStarted, inProgress, complete
  }

  var colour: String {
    switch status {
    case .notStarted: return "red"
    case .inProgress: return "yellow"
    case .complete: return "green"
    }
  }
}

class TicketComment: EmbeddedObject, ObjectKeyIdentifiable {
  @Persisted var text: String = ""
  @Persisted var author: String = ""
}

/// A board that hands methods over as observers, and keeps its tokens together.
final class TicketBoard {
  private var tokens: [NotificationToken?] = []
  private(set) var lines: [String] = []
  private let tickets: AnyRealmCollection<Ticket>

  init(_ tickets: Results<Ticket>) { self.tickets = AnyRealmCollection(tickets) }

  func start(on queue: DispatchQueue) {
    tokens.append(tickets.observe(on: queue, didObserveRealmChanges))
    tokens.append(tickets.first?.comments.observe(on: queue) { self.comments($0) })
    tokens.append(
      tickets.first?.observe(keyPaths: [\Ticket.status], on: queue, ticketDidChange(_:)))
  }

  private func didObserveRealmChanges(_ changes: RealmCollectionChange<AnyRealmCollection<Ticket>>)
  {
    switch changes {
    case .initial:
      lines.append("board \(tickets.count)")
    case .update(_, let deletions, let insertions, let modifications):
      lines.append("board -\(deletions) +\(insertions) ~\(modifications)")
    case .error(let error):
      lines.append(error.localizedDescription)
    }
  }

  private func comments(_ changes: RealmCollectionChange<RealmSwift.List<TicketComment>>) {
    if case .update(let comments, _, let insertions, _) = changes, let index = insertions.first {
      lines.append("comment \(comments[index].text)")
    }
  }

  private func ticketDidChange(_ change: ObjectChange<Ticket>) {
    guard case let .change(ticket, properties) = change else { return }
    lines.append("\(properties.map(\.name)) \(ticket.colour)")
  }

  func stop() {
    tokens.forEach { $0?.invalidate() }
    tokens = []
  }
}

extension CommonDeclarations {
  @Test func `support tickets on a board`() throws {
    let files = ApplicationFiles()
    let queue = DispatchQueue(label: "board")
    let configuration = files.configuration([Ticket.self, TicketComment.self])
    let board = try queue.sync { () -> TicketBoard in
      let realm = try Realm(configuration: configuration, queue: queue)
      try realm.write {
        realm.create(
          Ticket.self,
          value: ["author": "Al", "title": "Broken", "extra": .string("x") as AnyRealmValue])
      }
      let board = TicketBoard(realm.objects(Ticket.self).sorted(by: \Ticket.created))
      board.start(on: queue)
      return board
    }
    queue.sync {}
    let realm = try Realm(configuration: configuration)
    let tickets = realm.objects(Ticket.self).sorted(by: \Ticket.created)
    try realm.write {
      tickets[0].status = .inProgress
      tickets[0].comments.append(TicketComment(value: ["text": "Which?", "author": "Bo"]))
      realm.create(Ticket.self, value: ["author": "Cy", "title": "Slow", "details": "very"])
    }
    queue.sync {}
    queue.sync {
      let lines = board.lines
      #expect(lines.contains("board 1") && lines.contains("comment Which?"))
      #expect(lines.contains(#"["status"] yellow"#) && lines.contains("board -[] +[1] ~[0]"))
      board.stop()
    }
    let withComments = tickets.where { $0.comments.author == "Bo" || $0.comments.count > 3 }
    #expect(withComments.count == 1 && withComments.first?.extra == .string("x"))
    #expect(tickets.where { $0.status != .complete && $0.details != nil }.first?.author == "Cy")
    #expect(tickets.filter("extra == %@", "x").count == 1)
    #expect(tickets.last?.extra == AnyRealmValue.none)
    #expect(tickets.filter("status IN %@", ["inProgress", "complete"]).count == 1)
    #expect(tickets.where { $0.author.in(["Cy", "Di"]) && !$0.title.starts(with: "B") }.count == 1)
  }
}
