import AtollEdit
import AtollInspect
import Foundation
import Synchronization

/// One store of a session: where it is, the threads that answer for it, and the news of its commits.
final class StudioStore: Sendable {
  let number: Int
  let path: String
  let feed: EventFeed
  private let pages: StoreDesk
  private let work: StoreDesk
  private let edits: EditDesk
  /// Questions that wait or are answered.
  private let asked = Atomic<Int>(0)

  init(number: Int, path: String) {
    self.number = number
    let path = URL(fileURLWithPath: path).standardized.path
    self.path = path
    pages = StoreDesk(path: path, label: "pages-\(number)")
    work = StoreDesk(path: path, label: "work-\(number)")
    edits = EditDesk(path: path, label: "edits-\(number)")
    feed = EventFeed(path: path, desk: StoreDesk(path: path, label: "events-\(number)"))
  }

  /// The time limit of a question.
  enum Effort {
    /// A page that somebody waits for.
    case page
    /// Questions that may read the whole log or all objects.
    case work
  }

  /// Asks the store; refuses when too many wait.
  func ask<Answer: Sendable>(
    _ effort: Effort = .page, _ question: @Sendable (Inspection) throws -> Answer
  ) async throws -> Answer {
    try await counted {
      switch effort {
      case .page: try await pages.ask(question)
      case .work: try await work.ask(question)
      }
    }
  }

  /// Changes the store; refuses when too many wait.
  func edit<Answer: Sendable>(
    _ change: @Sendable (StoreEditor) throws -> Answer
  ) async throws -> Answer {
    try await counted { try await edits.edit(change) }
  }

  private func counted<Answer: Sendable>(
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    let waiting = asked.add(1, ordering: .relaxed).newValue
    defer { asked.subtract(1, ordering: .relaxed) }
    guard waiting <= Self.waitingLimit else { throw Busy() }
    return try await body()
  }

  /// More questions at once than a person's pages have.
  struct Busy: Error {}

  private static let waitingLimit = 64

  func close() async {
    await feed.close()
    await pages.close()
    await work.close()
    await edits.close()
  }
}
