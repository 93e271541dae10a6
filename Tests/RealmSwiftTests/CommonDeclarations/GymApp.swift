// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

enum MuscleGroup: String, PersistableEnum, CaseIterable {
  case back, chest, legs
  var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

class Exercise: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id = UUID()
  @Persisted var name = ""
  @Persisted var muscles: MutableSet<MuscleGroup>
  @Persisted var sets: List<ExerciseSet>
  @Persisted var best: List<Double?>
}

class ExerciseSet: EmbeddedObject, ObjectKeyIdentifiable {
  @Persisted var weight: Double
  @Persisted var reps: Int
  @Persisted var rest: TimeInterval = 90
}

extension Array where Element: RealmCollectionValue {
  var realmList: List<Element> {
    let list = List<Element>()
    list.append(objectsIn: self)
    return list
  }
}

extension RealmSwift.List where Element == ExerciseSet {
  var volume: Double { reduce(0) { $0 + $1.weight * Double($1.reps) } }
}

/// Tells who is interested of results, whatever their class.
final class ResultsListener<T: Object> {
  private var token: NotificationToken?
  private(set) var items: [T] = []

  func observe(
    objects: Results<T>, on queue: DispatchQueue, onInitial: @escaping ([T]) -> Void = { _ in },
    onChange: @escaping ([T]) -> Void = { _ in }
  ) {
    token = objects.observe(on: queue) { [weak self] (changes: RealmCollectionChange) in
      guard let self = self else { return }
      switch changes {
      case .initial(let results):
        self.items = Array(results)
        onInitial(self.items)
      case .update(
        let results, deletions: let deletions, insertions: let insertions, modifications: _):
        if deletions.isEmpty && insertions.isEmpty { return }
        self.items = Array(results)
        onChange(self.items)
      case let .error(error):
        fatalError(error.localizedDescription)
      }
    }
  }

  func stop() {
    token?.invalidate()
    token = nil
    items = []
  }
}

extension CommonDeclarations {
  @Test func `workouts with sets of values`() throws {
    try withDefaultRealm(of: Exercise.self, ExerciseSet.self) {
      let queue = DispatchQueue(label: "gym")
      let listener = ResultsListener<Exercise>()
      var heard: [String] = []
      queue.sync {
        let realm = try! Realm(queue: queue)
        listener.observe(
          objects: realm.objects(Exercise.self), on: queue,
          onInitial: { heard.append("initial \($0.count)") },
          onChange: { heard.append($0.map { $0.name }.joined(separator: ",")) })
      }
      queue.sync {}
      let realm = try Realm()
      let squat = Exercise(value: ["name": "Squat", "muscles": [MuscleGroup.legs, .back]])
      squat.sets =
        [
          ExerciseSet(value: [100, 5]),
          ExerciseSet(value: ["weight": 90.5, "reps": 8] as [String: Any]),
        ].realmList
      try realm.write { realm.add(squat) }
      queue.sync {}
      try realm.write {
        squat.muscles.remove(.back)
        squat.muscles.insert(objectsIn: [.legs, .chest])
        squat.best.append(objectsIn: [100, nil, 90.5])
      }
      queue.sync {}
      #expect(heard == ["initial 0", "Squat"])
      #expect(squat.sets.volume == 1224 && squat.sets.first?.rest == 90)
      #expect(squat.muscles.count == 2 && squat.muscles.contains(.chest))
      #expect(squat.muscles.isSubset(of: Exercise(value: ["muscles": ["legs", "chest"]]).muscles))
      #expect(
        MuscleGroup.allCases.filter { squat.muscles.contains($0) }.map(\.name) == ["Chest", "Legs"])
      #expect(squat.best.max() == 100 && squat.best.compactMap { $0 }.count == 2)
      #expect(realm.objects(Exercise.self).where { $0.muscles.contains(.chest) }.count == 1)
      #expect(
        realm.objects(Exercise.self).where { $0.sets.weight.max > 95 && $0.best.count == 3 }.count
          == 1)
      #expect(realm.objects(Exercise.self).filter("%@ IN muscles", "legs").first?.id == squat.id)
      try realm.write {
        squat.sets[0] = ExerciseSet(value: ["weight": 110, "reps": 3])
        squat.sets.insert(ExerciseSet(), at: 1)
      }
      #expect(squat.sets.map { $0.reps } == [3, 0, 8] && Set(squat.sets.map { $0.id }).count == 3)
      queue.sync { listener.stop() }
    }
  }
}
