import Atoll
import Foundation

/// Ten properties of the common types.
final class TenProperties: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var count: Int
  @Persisted var small: Int32
  @Persisted var flag: Bool
  @Persisted var width: Double
  @Persisted var height: Float
  @Persisted var name: String
  @Persisted var text: String?
  @Persisted var date: Date
  @Persisted var url: URL?
}

/// The same without wrappers.
final class TenFields {
  var id = 0
  var count = 0
  var small: Int32 = 0
  var flag = false
  var width = 0.0
  var height: Float = 0
  var name = ""
  var text: String?
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var url: URL?
}

/// Objects in memory and cached rows, beside a plain Swift class.
///
/// The figures to keep are absolute: at most 5 ns an unmanaged read, 60 ns a managed one, and 100 ms
/// for 100,000 objects made and filled.
struct ObjectRows {
  static let reads = 1_000_000
  let folder: URL
  let store: Store
  let managed: TenProperties

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-objects-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try Store(
      configuration: Store.Configuration(
        fileURL: folder.appendingPathComponent("objects.atoll"), objectTypes: [TenProperties.self]))
    self.store = store
    managed = try store.write { store.create(TenProperties.self, value: ["id": 1, "count": 3]) }
  }

  var rows: [Benchmark] {
    [
      Benchmark(
        name: "1,000,000 reads, unmanaged", peer: "target, ms", target: 1,
        ours: { Self.unmanagedReads() }, theirs: { 5 }),
      Benchmark(
        name: "1,000,000 reads, managed, row cached", peer: "target, ms", target: 1,
        ours: { managedReads() }, theirs: { 60 }),
      Benchmark(
        name: "make and fill 100,000 objects of ten properties", peer: "target, ms", target: 1,
        ours: { Self.makeObjects() }, theirs: { 100 }),
      Benchmark(
        name: "make and fill 100,000 objects of ten properties", peer: "a plain class",
        target: nil, ours: { Self.makeObjects() }, theirs: { Self.makePlain() }),
    ]
  }

  func removeFiles() { try? FileManager.default.removeItem(at: folder) }

  private static func unmanagedReads() -> Double {
    let object = TenProperties()
    object.count = 3
    return milliseconds {
      var sum = 0
      for _ in 0..<reads { sum &+= object.count }
      precondition(sum == 3 * reads)
    }
  }

  private func managedReads() -> Double {
    milliseconds {
      var sum = 0
      for _ in 0..<Self.reads { sum &+= managed.count }
      precondition(sum == 3 * Self.reads)
    }
  }

  private static func makeObjects() -> Double {
    var objects: [TenProperties] = []
    objects.reserveCapacity(100_000)
    return milliseconds {
      for index in 0..<100_000 {
        let object = TenProperties()
        object.id = index
        object.count = index
        object.small = 7
        object.flag = true
        object.width = 1.5
        object.height = 2.5
        object.name = "name"
        object.text = "text"
        object.date = Date(timeIntervalSinceReferenceDate: 0)
        object.url = nil
        objects.append(object)
      }
    }
  }

  private static func makePlain() -> Double {
    var objects: [TenFields] = []
    objects.reserveCapacity(100_000)
    return milliseconds {
      for index in 0..<100_000 {
        let object = TenFields()
        object.id = index
        object.count = index
        object.small = 7
        object.flag = true
        object.width = 1.5
        object.height = 2.5
        object.name = "name"
        object.text = "text"
        object.date = Date(timeIntervalSinceReferenceDate: 0)
        object.url = nil
        objects.append(object)
      }
    }
  }
}
