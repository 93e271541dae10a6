// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class TimerSession: Object {
  @Persisted(primaryKey: true) var id: Int64
  @Persisted var name: String
  @Persisted var duration: TimeInterval
  @Persisted var laps: List<TimeInterval>
  @Persisted var state: State = .idle
  @Persisted var startedAt: Date?

  enum State: Int, PersistableEnum { case idle, running, done }

  /// Tells whether a change of state is allowed.
  func canMove(to state: State) -> Bool {
    switch (self.state, state) {
    case (.idle, .running), (.running, .done), (.running, .idle): return true
    default: return false
    }
  }
}

struct TimerModel: Equatable {
  var name: String
  var seconds: Double
}

/// Holds a realm per call, and gives values only.
struct TimerStorage {
  enum Failure: Error { case wrongState, realm(Error) }

  let configuration: Realm.Configuration

  private func perform<Output>(_ work: (Realm) throws -> Output) throws -> Output {
    do {
      let realm = try Realm(configuration: configuration)
      return try work(realm)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure.realm(error)
    }
  }

  func nextID() throws -> Int64 {
    try perform { ($0.objects(TimerSession.self).max(ofProperty: "id") as Int64? ?? 0) + 1 }
  }

  @discardableResult
  func start(_ name: String, seconds: TimeInterval) throws -> Int64 {
    let id = try nextID()
    return try perform { realm in
      try realm.write {
        let session = TimerSession()
        session.id = id
        session.name = name
        session.duration = seconds
        session.state = .running
        session.startedAt = Date()
        realm.add(session, update: .error)
      }
      return id
    }
  }

  func lap(_ id: Int64, _ time: TimeInterval) throws {
    try perform { realm in
      guard let session = realm.object(ofType: TimerSession.self, forPrimaryKey: id) else { return }
      try realm.write { session.laps.append(time) }
    }
  }

  func move(_ id: Int64, to state: TimerSession.State) throws {
    try perform { realm in
      try realm.write {
        let session = realm.object(ofType: TimerSession.self, forPrimaryKey: id)
        guard session?.canMove(to: state) == true else { throw Failure.wrongState }
        session?.state = state
      }
    }
  }

  func all() -> [TimerModel] {
    (try? perform { realm in
      realm.objects(TimerSession.self).sorted(byKeyPath: "id").map {
        TimerModel(name: $0.name, seconds: $0.laps.isEmpty ? $0.duration : $0.laps.sum())
      }
    }) ?? []
  }
}

extension CommonDeclarations {
  @Test func `timers with a realm for each call`() throws {
    let files = ApplicationFiles()
    let storage = TimerStorage(configuration: files.configuration([TimerSession.self]))
    let tea = try storage.start("Tea", seconds: 180)
    let run = try storage.start("Run", seconds: 0)
    #expect((tea, run) == (1, 2))
    for time in [61.5, 58.25, 60] { try storage.lap(run, time) }
    try storage.move(tea, to: .done)
    #expect(throws: TimerStorage.Failure.self) { try storage.move(tea, to: .running) }
    #expect(
      storage.all() == [.init(name: "Tea", seconds: 180), .init(name: "Run", seconds: 179.75)])
    let realm = try Realm(configuration: storage.configuration)
    let running = realm.objects(TimerSession.self).where { $0.state == .running }
    #expect(
      running.first?.laps.min() == 58.25 && running.first?.laps.average() == 59.916666666666664)
    #expect(running.first?.laps.sorted(ascending: false).first == 61.5)
    #expect(running.first?.laps.where { $0 > 60 }.count == 1)
    #expect(
      running.filter("ANY laps > 61").count == 1 && running.filter("laps.@avg < 60").count == 1)
    #expect(running.filter("startedAt <= %@ AND state == %@", Date(), 1).count == 1)
    #expect(running.filter("startedAt > %@", NSDate(timeIntervalSinceNow: 60)).isEmpty)
    #expect(
      running.filter("id IN %@ && name == %@", [NSNumber(value: 2)], NSString("Run")).count == 1)
    try realm.write { running.first?.laps.removeSubrange(1...2) }
    #expect(running.first?.laps.count == 1 && storage.all().last?.seconds == 61.5)
  }
}
