// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class Habit: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var title: String
  @Persisted var memo: String?
  @Persisted var priority: Int?
  @Persisted var createDate: Date
  @Persisted var checkedOn: MutableSet<Date>
  @Persisted var reminders: List<Int>

  convenience init(title: String, memo: String? = nil, priority: Int? = nil, createDate: Date) {
    self.init()
    self.title = title
    self.memo = memo
    self.priority = priority
    self.createDate = createDate
  }
}

protocol HabitRepositoryType {
  associatedtype T: Object
  func fetch() -> Results<T>
  func createItem(_ item: T)
  func updateItem(_ item: T)
  func removeItem(_ item: T)
}

/// The generic repository that many applications have.
final class HabitRepository<T: Object>: HabitRepositoryType {
  private let realm = try! Realm()

  init() { #expect(realm.configuration.fileURL!.isFileURL) }

  func fetch() -> Results<T> { return realm.objects(T.self) }

  func fetch(on date: Date) -> Results<T> {
    let startOfDay = Calendar.current.startOfDay(for: date)
    let endOfDay = Calendar.current.date(bySettingHour: 23, minute: 59, second: 59, of: date)!
    return realm.objects(T.self)
      .filter("createDate >= %@ AND createDate <= %@", startOfDay, endOfDay)
  }

  func find(_ id: ObjectId) -> T? { realm.object(ofType: T.self, forPrimaryKey: id) }

  func createItem(_ item: T) {
    do {
      try realm.write { realm.add(item) }
    } catch {
      print(error)
    }
  }

  func updateItem(_ item: T) {
    do {
      try realm.write { realm.add(item, update: .modified) }
    } catch {
      print(error)
    }
  }

  func removeItem(_ item: T) {
    do {
      try realm.write { realm.delete(item) }
    } catch {
      print(error)
    }
  }

  func removeAll(where condition: ((Query<T>) -> Query<Bool>)) {
    try? realm.write { realm.delete(realm.objects(T.self).where(condition)) }
  }
}

extension CommonDeclarations {
  @Test func `habits in a generic repository`() {
    withDefaultRealm(of: Habit.self) {
      let repository = HabitRepository<Habit>()
      let (today, yesterday) = (Date(), Date(timeIntervalSinceNow: -86_400))
      let stretch = Habit(title: "Stretch", priority: 2, createDate: today)
      repository.createItem(stretch)
      repository.createItem(Habit(title: "Read", memo: "Ten pages", createDate: yesterday))
      #expect(repository.fetch(on: today).map(\.title) == ["Stretch"])
      let changed = Habit(title: "Stretch well", createDate: today)
      changed.id = stretch.id
      changed.checkedOn.insert(today)
      changed.reminders.append(objectsIn: [8, 20])
      repository.updateItem(changed)
      #expect(stretch.title == "Stretch well" && stretch.priority == nil)
      #expect(stretch.reminders.max() == 20 && stretch.checkedOn.count == 1)
      #expect(repository.find(stretch.id)?.id == stretch.id && repository.find(ObjectId()) == nil)
      let sorted = repository.fetch().sorted(by: [
        SortDescriptor(keyPath: "priority", ascending: true), SortDescriptor(keyPath: "title"),
      ])
      #expect(Array(sorted.map { $0.title }) == ["Read", "Stretch well"])
      repository.removeAll { $0.memo != nil }
      repository.removeItem(stretch)
      #expect(repository.fetch().count == 0 && stretch.isInvalidated)
    }
  }
}
