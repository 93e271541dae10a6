// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

public class CalendarEvent: Object {
  @Persisted(primaryKey: true) public var id: String
  @Persisted public var title: String
  @Persisted(indexed: true) public var start: Date
  @Persisted public var end: Date
  @Persisted public var repeats: Repetition?
  @Persisted public var attendees: List<String?>

  public enum Repetition: Int, PersistableEnum, CaseIterable {
    case daily = 1, weekly = 7, yearly = 365
  }

  public convenience init(
    id: String = UUID().uuidString, title: String, start: Date, hours: Double = 1,
    repeats: Repetition? = nil
  ) {
    self.init()
    self.id = id
    self.title = title
    self.start = start
    self.end = start.addingTimeInterval(hours * 3600)
    self.repeats = repeats
  }
}

extension CalendarEvent {
  static func on(_ day: Date) -> Results<CalendarEvent> {
    let realm = try! Realm()
    let from = Calendar.current.startOfDay(for: day)
    let to = Calendar.current.date(byAdding: .day, value: 1, to: from)!
    return realm.objects(CalendarEvent.self).filter("start BETWEEN {%@, %@}", from, to)
      .sorted(byKeyPath: #"start"#)
  }

  static func week(of day: Date) -> Results<CalendarEvent> {
    let end = day.addingTimeInterval(7 * 86_400)
    return try! Realm().objects(CalendarEvent.self)
      .where { ($0.start.contains(day..<end)) || ($0.repeats.in([.daily, .weekly])) }
  }

  var isLong: Bool { end.timeIntervalSince(start) >= 7200 }
}

/// Writes on a queue in the background, and says so on another one.
final class CalendarImporter {
  private let queue = DispatchQueue(label: "importer", qos: .utility)

  func insert(_ events: [[String: Any]], then done: @escaping (Result<Int, Error>) -> Void) {
    queue.async {
      autoreleasepool {
        do {
          let realm = try Realm()
          try realm.write {
            for event in events {
              realm.create(CalendarEvent.self, value: event, update: .all)
            }
          }
          done(.success(realm.objects(CalendarEvent.self).count))
        } catch {
          done(.failure(error))
        }
      }
    }
  }
}

extension CommonDeclarations {
  @Test func `a calendar that is filled in the background`() throws {
    try withDefaultRealm(of: CalendarEvent.self) {
      let realm = try Realm()
      let day = Calendar.current.startOfDay(for: Date(timeIntervalSince1970: 1_700_000_000))
      let done = DispatchSemaphore(value: 0)
      var count: Result<Int, Error>?
      CalendarImporter().insert([
        ["id": "1", "title": "Breakfast", "start": day + 8 * 3600, "end": day + 9 * 3600],
        ["id": "2", "title": "Choir", "start": day + 90_000, "end": day + 99_000, "repeats": 7],
        ["id": "1", "title": "Brunch", "start": day + 39_600, "end": day + 50_000],
      ]) { result in
        count = result
        done.signal()
      }
      done.wait()
      #expect(try count?.get() == 2)
      realm.refresh()
      #expect(CalendarEvent.on(day).map(\.title) == ["Brunch"])
      let party = CalendarEvent(title: "Party", start: day + 900_000, hours: 8, repeats: .yearly)
      try realm.write {
        realm.add(party)
        party.attendees.append(objectsIn: ["Kim", nil])
      }
      #expect(CalendarEvent.week(of: day).count == 2 && party.isLong && party.attendees[1] == nil)
      #expect(
        CalendarEvent.week(of: day + 800_000).map { $0.title }.sorted() == ["Choir", "Party"])
      let next: Date? = realm.objects(CalendarEvent.self).min(ofProperty: "start")
      #expect(next == day + 39_600 && CalendarEvent.Repetition(rawValue: 7) == .weekly)
      #expect(realm.objects(CalendarEvent.self).filter("repeats == nil").first?.title == "Brunch")
      #expect(realm.objects(CalendarEvent.self).filter("repeats > %d", 7).first == party)
    }
  }
}
