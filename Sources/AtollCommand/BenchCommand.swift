import ArgumentParser
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll bench`: what a disk and this build can do.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures a store on a disk: commits, bulk writes, reads.",
    discussion: """
      Makes a store in a folder of its own below FOLDER, and removes it. Each commit is on the disk \
      before the next begins, so the first row is mostly the disk's. Each row takes a second or a \
      little more.
      """)

  @Argument(help: "The folder whose disk is measured.", completion: .directory)
  var folder = "."

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func run() throws {
    let place = URL(fileURLWithPath: folder)
      .appendingPathComponent("atoll-bench-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    } catch {
      throw CommandError.unwritable(path: folder, reason: error.localizedDescription)
    }
    defer { try? FileManager.default.removeItem(at: place) }
    var bench = try Bench(place.appendingPathComponent("bench.atoll").path)
    defer { bench.file.close() }
    let results = try bench.results()
    if json {
      print(try JSONLine.text(Dictionary(uniqueKeysWithValues: results.map { ($0.key, $0.rate) })))
    } else {
      for result in results { print(result.line) }
    }
  }
}

/// The store that is measured, and how.
private struct Bench {
  /// One row: so many things in a second.
  struct Result {
    let key: String
    let what: String
    let rate: Double

    var line: String {
      let digits = String(Int(rate.rounded()))
      return String(repeating: " ", count: max(0, 10 - digits.count)) + "\(digits)  \(what)"
    }
  }

  let file: StoreFile
  private let things: StoredClass
  private let name: StoredProperty
  private var made: Int64 = 0
  private static let bulk = 10_000
  private static let shortestRun = Duration.seconds(1)

  init(_ path: String) throws {
    file = try StoreFile.open(path)
    let schema = ClassSchema(
      name: "Thing", primaryKey: "id",
      properties: [
        PropertySchema(name: "id", type: .int), PropertySchema(name: "name", type: .string),
      ])
    guard let things = try file.adopt([schema]).first, let name = things.property(named: "name")
    else { throw StorageError.noSuchProperty(class: "Thing", property: "name") }
    self.things = things
    self.name = name
  }

  mutating func results() throws -> [Result] {
    let single = try rate { bench in
      try bench.make(1)
      return 1
    }
    let bulk = try rate { bench in
      try bench.make(Self.bulk)
      return Self.bulk
    }
    var random = SystemRandomNumberGenerator()
    let reads = try rate { bench in
      for _ in 0..<1000 {
        let key = Int64.random(in: 1...bench.made, using: &random)
        _ = try bench.file.find(bench.things.id, key: .int(key))
      }
      return 1000
    }
    let scan = try rate { bench in
      let rows = try bench.file.rows(StoreQuery(bench.things.id))
      var count = 0
      while try rows.next() != nil { count += 1 }
      return count
    }
    return [
      Result(key: "commits", what: "transactions of one object a second", rate: single),
      Result(
        key: "objects", what: "objects a second in transactions of \(Self.bulk)", rate: bulk),
      Result(key: "lookups", what: "objects found by their key a second", rate: reads),
      Result(key: "rows", what: "objects a second when all are read", rate: scan),
    ]
  }

  private mutating func make(_ count: Int) throws {
    try file.beginWrite()
    for _ in 0..<count {
      made += 1
      _ = try file.create(
        things.id, key: .int(made), fields: [NewField(name, .scalar(.string("thing \(made)")))])
    }
    try file.commitWrite()
  }

  /// Returns the rate per second of something that does several things at a time.
  private mutating func rate(_ body: (inout Bench) throws -> Int) throws -> Double {
    let start = ContinuousClock.now
    var done = 0
    repeat { done += try body(&self) } while start.duration(to: .now) < Self.shortestRun
    return Double(done) / (start.duration(to: .now) / .seconds(1))
  }
}
