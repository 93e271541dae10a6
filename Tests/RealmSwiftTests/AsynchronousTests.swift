import Foundation
import RealmSwift
import TestKit
import Testing

/// Asynchronous writes, openings and notifications in Realm's forms.
@Suite(.serialized) struct AsynchronousTests {
  private let folder = TemporaryFolder()
  private let queue = DispatchQueue(label: "realm")

  private var configuration: Realm.Configuration {
    Realm.Configuration(fileURL: folder.file("default.realm"), objectTypes: [Dog.self])
  }

  /// Waits for what is queued on the queue.
  private func drain() async {
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }

  @Test(.timeLimit(.minutes(1)))
  func `an asynchronous write is begun and committed, or given up`() async throws {
    let configuration = configuration
    let queue = queue
    let names = try await withCheckedThrowingContinuation { done in
      queue.async {
        do {
          let realm = try Realm(configuration: configuration, queue: queue)
          let cancelled = realm.beginAsyncWrite { realm.add(Dog(value: ["name": "never"])) }
          try realm.cancelAsyncWrite(cancelled)
          realm.beginAsyncWrite { realm.add(Dog(value: ["name": "given up"])) }
          realm.beginAsyncWrite {
            realm.add(Dog(value: ["name": "Rex"]))
            realm.commitAsyncWrite(allowGrouping: true) { error in
              done.resume(
                with: Result {
                  if let error { throw error }
                  return Array(realm.objects(Dog.self).map(\.name))
                })
            }
          }
        } catch {
          done.resume(throwing: error)
        }
      }
    }
    #expect(names == ["Rex"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a store that is opened asynchronously belongs to the queue of the callback`() async throws {
    let queue = queue
    let configuration = configuration
    let count = try await withCheckedThrowingContinuation { done in
      Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
        switch result {
        case .success(let realm): done.resume(returning: realm.objects(Dog.self).count)
        case .failure(let error): done.resume(throwing: error)
        }
      }
    }
    #expect(count == 0)
    await drain()
  }

  @Test func `observers are told what was committed after they were asked for`() throws {
    let configuration = configuration
    let heard = Heard()
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      // Neither the turn of the observer nor the queue's comes before these two lines are done.
      let token = realm.observe { notification, _ in heard.add("\(notification)") }
      try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
      heard.keep(token)
    }
    queue.sync {}
    #expect(heard.all == ["didChange"])
    heard.keep(nil)
  }

  @Test func `refresh delivers what there is to tell before it returns`() throws {
    let configuration = configuration
    let heard = Heard()
    let queue = queue
    var realm: Realm?
    try queue.sync {
      let store = try Realm(configuration: configuration, queue: queue)
      heard.keep(store.objects(Dog.self).observe { heard.add(Self.text($0)) })
      realm = store
    }
    queue.sync {}
    #expect(heard.all == ["initial 0"])
    queue.sync {
      let written = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let other = try? Realm(configuration: configuration)
        try? other?.write { other?.add(Dog(value: ["name": "Ina"])) }
        written.signal()
      }
      written.wait()
      #expect(realm?.refresh() == true)
      #expect(heard.all == ["initial 0", "update 1 [0]"])
    }
    queue.sync {
      heard.keep(nil)
      realm = nil
    }
  }

  private static func text(_ change: RealmCollectionChange<Results<Dog>>) -> String {
    switch change {
    case .initial(let dogs): "initial \(dogs.count)"
    case .update(let dogs, deletions: _, insertions: let insertions, modifications: _):
      "update \(dogs.count) \(insertions)"
    case .error(let error): "\(error)"
    }
  }

  @Test func `a thread-safe value belongs to the store that the thread has open`() throws {
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
    @ThreadSafe var dog = realm.objects(Dog.self).first
    #expect(dog?.realm === realm)
    let reference = ThreadSafeReference(to: try #require(realm.objects(Dog.self).first))
    #expect(realm.resolve(reference)?.name == "Rex")
  }
}

/// The reports of an observer, from any thread.
private final class Heard: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  private var token: NotificationToken?

  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { lock.withLock { lines } }
  func keep(_ token: NotificationToken?) {
    let former = lock.withLock {
      defer { self.token = token }
      return self.token
    }
    former?.invalidate()
  }
}
