import AtollInspect
import AtollPresence
import AtollVocabulary
import Foundation
import Synchronization

/// The news of one store, for every page that listens: an event for each commit, and for another status.
///
/// It watches the file only while somebody listens. A page that does not read gets the last events only.
final class EventFeed: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Data>.Continuation] = [:]
    var next = 0
    var watch: StoreWatch?
    var ticker: Task<Void, Never>?
    /// The number of the last commit that was told, and the status as it was told.
    var lastCommit: Int64?
    var lastStatus: Data?
    /// A look at the file is under way, and another is wanted after it.
    var isLooking = false
    var isWanted = false
  }

  private let path: String
  private let desk: StoreDesk
  private let state = Mutex(State())
  /// Events that wait for one page.
  private static let waitingEvents = 16
  /// Pages that may listen at once.
  private static let listenerLimit = 64

  init(path: String, desk: StoreDesk) {
    self.path = path
    self.desk = desk
  }

  /// The events from now on; nil when too many listen.
  func listen() -> AsyncStream<Data>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Data.self, bufferingPolicy: .bufferingNewest(Self.waitingEvents))
    let number: Int? = state.withLock { state in
      guard state.listeners.count < Self.listenerLimit else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    // The first bytes tell the browser that the stream is open.
    continuation.yield(Data("retry: 1000\n\n".utf8))
    start()
    return stream
  }

  /// Seconds after which a page is told that there is no news, which finds out that it is gone.
  private static let heartbeat = 15

  private func tell(_ event: Data) {
    state.withLock { state in
      for listener in state.listeners.values { listener.yield(event) }
    }
  }

  private func leave(_ number: Int) {
    let (watch, ticker) = state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return (StoreWatch?.none, Task<Void, Never>?.none) }
      defer {
        (state.watch, state.ticker, state.lastCommit, state.lastStatus) = (nil, nil, nil, nil)
      }
      return (state.watch, state.ticker)
    }
    watch?.stop()
    ticker?.cancel()
  }

  /// Ends the streams, and lets go of the file.
  func close() async {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.finish() }
    await desk.close()
  }

  private func start() {
    let isFirst = state.withLock { state in
      guard state.ticker == nil else { return false }
      state.ticker = Task { [weak self] in
        var seconds = 0
        while !Task.isCancelled {
          self?.look()
          seconds += 1
          if seconds % Self.heartbeat == 0 { self?.tell(Data(": here\n\n".utf8)) }
          try? await Task.sleep(for: .seconds(1))
        }
      }
      return true
    }
    guard isFirst else { return }
    // Without a watch, for want of descriptors, the look of every second finds the commits.
    let watch = try? StoreWatch(path: path) { [weak self] in self?.look() }
    state.withLock { $0.watch = watch }
  }

  /// Looks at the file once more; looks that are wanted meanwhile become one.
  private func look() {
    let isFree = state.withLock { state in
      if state.isLooking { state.isWanted = true }
      defer { state.isLooking = true }
      return !state.isLooking
    }
    guard isFree else { return }
    Task {
      repeat { await lookOnce() } while again()
    }
  }

  private func again() -> Bool {
    state.withLock { state in
      defer { (state.isLooking, state.isWanted) = (state.isWanted, false) }
      return state.isWanted
    }
  }

  private func lookOnce() async {
    let last = state.withLock { $0.lastCommit }
    guard let news = try? await desk.ask({ try $0.news(after: last) }) else { return }
    let status = try? await desk.ask { inspection in
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(try inspection.status(inspection.service))
    }
    state.withLock { state in
      state.lastCommit = news.commit
      if last != nil, news.commit != last, let event = Self.event("commit", try? news.json()) {
        for listener in state.listeners.values { listener.yield(event) }
      }
      if let status, status != state.lastStatus, let event = Self.event("status", status) {
        state.lastStatus = status
        for listener in state.listeners.values { listener.yield(event) }
      }
    }
  }

  private static func event(_ name: String, _ json: Data?) -> Data? {
    json.map { Data("event: \(name)\ndata: ".utf8) + $0 + Data("\n\n".utf8) }
  }
}

extension CommitNews {
  fileprivate func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
