import Atoll
import AtollStorage
import AtollVocabulary
import Foundation

/// Two daemons on loopback: this process writes at A with the client library, and reads B's file.
final class LinkMeasure {
  private let a: DaemonNode
  private let b: DaemonNode
  private let store: Store
  private let target: StoreFile
  private var count = 0

  init(folder: URL, cleanUp: CleanUp) throws {
    let id = StoreID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    a = try DaemonNode(name: "A", in: folder, storeID: id, cleanUp: cleanUp)
    b = try DaemonNode(name: "B", in: folder, storeID: id, cleanUp: cleanUp)
    try a.start(peers: [])
    try b.start(peers: [a.port])
    store = try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: a.storePath),
        objectTypes: [Airport.self, Country.self, Location.self]))
    target = try StoreFile.open(b.storePath)
    try insertOne()
    try waitForArrival()
  }

  func stop() {
    target.close()
    a.terminate()
    b.terminate()
  }

  /// So many objects in one transaction, from its beginning until all are visible at B.
  func bulk(objects: Int) throws -> Duration {
    try timed {
      try store.write {
        for _ in 0..<objects { add() }
      }
    }
  }

  /// So many transactions of one object each, one after the other, until all are visible at B.
  func stream(transactions: Int) throws -> Duration {
    try timed { for _ in 0..<transactions { try insertOne() } }
  }

  /// The median time of one update, from the call of its commit until it is visible at B.
  func update(times: Int) throws -> Duration {
    let samples = try (0..<times).map { _ in
      try store.beginWrite()
      store.object(ofType: Airport.self, forPrimaryKey: Self.key(0))?.name += "."
      let before = try target.commitNumber()
      return try ContinuousClock().measure {
        try store.commitWrite()
        try wait { try target.commitNumber() > before }
      }
    }
    return samples.sorted()[samples.count / 2]
  }

  private func timed(_ write: () throws -> Void) throws -> Duration {
    try ContinuousClock().measure {
      try write()
      try waitForArrival()
    }
  }

  private func insertOne() throws { try store.write { add() } }

  private func add() {
    let airport = Airport()
    airport.icao = Self.key(count)
    airport.name = "Airport \(count)"
    airport.coordinate = Coordinate(latitude: Double(count % 90), longitude: Double(count % 180))
    airport.elevation = Measurement(value: Double(count % 4000), unit: .meters)
    store.add(airport)
    count += 1
  }

  private static func key(_ number: Int) -> String { "X\(number)" }

  private func waitForArrival() throws {
    try wait {
      guard let club = try target.storedClass(named: "Airport") else { return false }
      return try target.find(club.id, key: .string(Self.key(count - 1))) != nil
    }
  }

  /// Asks again until it is so, without a pause: what is measured is shorter than any.
  private func wait(until isDone: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + Demo.patience
    while try !isDone() {
      guard ContinuousClock.now < deadline else {
        throw ClusterError.timeOut("B", waited: Demo.patience, lines: [])
      }
      Thread.sleep(forTimeInterval: 0.00005)
    }
  }
}
