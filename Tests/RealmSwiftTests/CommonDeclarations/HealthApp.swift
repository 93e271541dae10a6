// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class HealthSample: Object {
  enum Kind: String, PersistableEnum, CustomStringConvertible {
    case steps, heartRate = "heart-rate", weight
    var description: String { rawValue.capitalized }
  }

  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var kind: Kind
  @Persisted var value: Double
  @Persisted var recordedAt: Date
  @Persisted var source: String?
}

/// A manager with a queue of its own, on which its realm lives.
final class HealthManager {
  static var identifier = UUID().uuidString
  private let queue: DispatchQueue
  private var realm: Realm!

  init(queue: DispatchQueue) throws {
    self.queue = queue
    let configuration = Realm.Configuration(
      inMemoryIdentifier: Self.identifier, objectTypes: [HealthSample.self])
    try queue.sync {
      realm = try Realm(configuration: configuration, queue: queue)
    }
  }

  func record(_ kind: HealthSample.Kind, _ values: [Double], done: @escaping (Error?) -> Void) {
    queue.async { [self] in
      realm.writeAsync { [self] in
        for (index, value) in values.enumerated() {
          let sample = HealthSample()
          sample.kind = kind
          sample.value = value
          sample.recordedAt = Date(timeIntervalSinceReferenceDate: Double(index))
          realm.add(sample)
        }
      } onComplete: { error in
        done(error)
      }
    }
  }

  func summary(_ kind: HealthSample.Kind) -> [String: Double] {
    queue.sync {
      let samples = realm.objects(HealthSample.self).where { $0.kind == kind }
      return [
        "min": samples.min(of: \.value) ?? 0, "max": samples.max(ofProperty: "value") ?? 0,
        "sum": samples.sum(of: \.value), "average": samples.average(of: \.value) ?? 0,
        "last": samples.sorted(byKeyPath: "recordedAt").last?.value ?? 0,
      ]
    }
  }

  var kinds: [String] {
    queue.sync {
      realm.objects(HealthSample.self).distinct(by: [\HealthSample.kind])
        .sorted(by: \.kind).map { $0.kind.description }
    }
  }

  func close() {
    queue.sync {
      realm.invalidate()
      realm = nil
    }
  }
}

extension CommonDeclarations {
  @Test(.timeLimit(.minutes(1))) func `health data in memory, on a queue`() async throws {
    let manager = try HealthManager(queue: DispatchQueue(label: "health"))
    let error: Error? = await withCheckedContinuation { done in
      manager.record(.heartRate, [60, 75, 90]) { done.resume(returning: $0) }
    }
    #expect(error == nil)
    await withCheckedContinuation { done in
      manager.record(.steps, [1000.5]) { _ in done.resume() }
    }
    let summary = manager.summary(.heartRate)
    #expect(summary["min"] == 60 && summary["max"] == 90 && summary["sum"] == 225)
    #expect(summary["average"] == 75 && summary["last"] == 90)
    #expect(manager.summary(.weight)["average"] == 0)
    #expect(manager.kinds == ["Heart-Rate", "Steps"])
    manager.close()
  }
}
