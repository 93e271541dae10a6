import Atoll
import Foundation

/// Ten values of the common types.
protocol TenValues: AnyObject {
  var id: Int { get set }
  var count: Int { get set }
  var small: Int32 { get set }
  var flag: Bool { get set }
  var width: Double { get set }
  var height: Float { get set }
  var name: String { get set }
  var text: String? { get set }
  var date: Date { get set }
  var url: URL? { get set }

  init()
}

/// The ten as persisted properties.
final class TenProperties: Object, TenValues {
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

/// The ten without wrappers.
final class TenFields: TenValues {
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
        ours: { Self.make(TenProperties.self) }, theirs: { 100 }),
      Benchmark(
        name: "make and fill 100,000 objects of ten properties", peer: "a plain class",
        target: nil, ours: { Self.make(TenProperties.self) }, theirs: { Self.make(TenFields.self) }),
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

  private static func make<Values: TenValues>(_ type: Values.Type) -> Double {
    var objects: [Values] = []
    objects.reserveCapacity(100_000)
    return milliseconds {
      for index in 0..<100_000 {
        let object = Values()
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
