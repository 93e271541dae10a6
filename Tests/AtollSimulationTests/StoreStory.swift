import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary

@testable import AtollSimulation

/// The story of one store on a disk that may fail.
///
/// It is made, written, given what a peer wrote, its log is moved, it is closed and opened again.
/// A step that fails is left out, and the rest goes on.
final class StoreStory {
  let path: String
  let disk: FaultDisk
  /// Changesets whose transactions returned.
  private(set) var acknowledged = VersionVector()
  /// Objects of transactions that returned: three with one number, in each.
  private(set) var written: Set<Int64> = []
  /// The refused steps, in order.
  private(set) var failures: [StorageError] = []
  private let durability: StoreOptions.Durability
  private let peer: [IncomingChangeset]
  private var number: Int64 = 0
  private let clock: VirtualClock

  static let note = ClassSchema(
    name: "Note", primaryKey: "id",
    properties: [
      PropertySchema(name: "id", type: .int), PropertySchema(name: "group", type: .int),
      PropertySchema(name: "text", type: .string),
      PropertySchema(name: "items", type: .int, collection: .list),
    ])
  static let storeID = StoreID(high: 1, low: 2)

  init(
    _ path: String, on disk: FaultDisk, durability: StoreOptions.Durability = .full,
    peer: [IncomingChangeset]
  ) {
    self.path = path
    self.disk = disk
    self.durability = durability
    self.peer = peer
    clock = VirtualClock(skew: .zero, seed: peer.isEmpty ? 1 : 2)
  }

  /// The changesets of another replica, made on a disk that never fails.
  static func peerChangesets(in folder: String) throws -> [IncomingChangeset] {
    let story = StoreStory("\(folder)/peer.atoll", on: try FaultDisk(), peer: [])
    story.number = 1000
    story.visit { file, note throws(StorageError) in
      for _ in 0..<3 { story.attempt { () throws(StorageError) in try story.write(file, note) } }
    }
    let file = try StoreFile.open(story.path)
    defer { file.close() }
    return try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20)
      .entries.map {
        IncomingChangeset(
          author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
          expectedHash: $0.id.hash)
      }
  }

  func run() {
    visit { file, note throws(StorageError) in
      for _ in 0..<2 { attempt { () throws(StorageError) in try write(file, note) } }
      attempt { () throws(StorageError) in try apply(file) }
      attempt { () throws(StorageError) in try file.checkpoint() }
      attempt { () throws(StorageError) in try write(file, note) }
    }
    for _ in 0..<4 {
      visit { file, note throws(StorageError) in
        for _ in 0..<3 { attempt { () throws(StorageError) in try write(file, note) } }
        attempt { () throws(StorageError) in try apply(file) }
        attempt { () throws(StorageError) in try file.checkpoint() }
      }
    }
  }

  /// Opens, does something, and closes.
  func visit(_ body: (StoreFile, StoredClass) throws(StorageError) -> Void) {
    attempt { () throws(StorageError) in
      let file = try StoreFile.open(
        path,
        options: StoreOptions(
          storeID: Self.storeID, durability: durability, wallClock: { [clock] in clock.wallTime },
          random: { [clock] in clock.random() }, disk: disk))
      defer { file.close() }
      guard let note = try file.adopt([Self.note]).first else { return }
      try body(file, note)
    }
  }

  func attempt(_ body: () throws(StorageError) -> Void) {
    do {
      try body()
    } catch {
      failures.append(error)
    }
  }

  /// One transaction of three objects.
  func write(_ file: StoreFile, _ note: StoredClass) throws(StorageError) {
    number += 1
    try file.beginWrite()
    do {
      for index in 0..<3 as Range<Int64> { try make(file, note, number * 3 + index) }
      if let head = try file.commitWrite()?.heads.first(where: { $0.author == file.author }) {
        acknowledged[head.author] = head.sequence
        written.insert(number)
      }
    } catch {
      file.rollback()
      throw error
    }
  }

  private func make(
    _ file: StoreFile, _ note: StoredClass, _ key: Int64
  ) throws(StorageError) {
    guard let group = note.property(named: "group"), let items = note.property(named: "items")
    else { return }
    _ = try file.create(
      note.id, key: .int(key),
      fields: [
        NewField(group, .scalar(.int(number))),
        NewField(items, .list([.scalar(.int(1)), .scalar(.int(2))])),
      ])
  }

  private func apply(_ file: StoreFile) throws(StorageError) {
    for case .applied(let id) in try file.apply(peer) { acknowledged[id.author] = id.sequence }
  }

  // MARK: Afterwards

  /// Opens the file on a disk that works, and says what is wrong with it.
  ///
  /// `mayLose` says that what returned may be gone, as long as it is gone whole.
  func problems(mayLose: Bool = false) -> [String] {
    if mayLose {
      acknowledged = VersionVector()
      written = []
    }
    do {
      let file = try StoreFile.open(path)
      defer { file.close() }
      return try problems(of: file)
    } catch {
      return ["\(error)"]
    }
  }

  private func problems(of file: StoreFile) throws -> [String] {
    var problems = try file.verify()
    let vector = try file.appliedVector()
    if !vector.includes(acknowledged) { problems.append("\(acknowledged) lost, has \(vector)") }
    problems += try incomplete(file)
    // And it goes on.
    guard let note = try file.adopt([Self.note]).first else { return problems }
    number += 1
    try write(file, note)
    return problems
  }

  /// Transactions that are there in part, and those that returned and are not there.
  private func incomplete(_ file: StoreFile) throws -> [String] {
    guard let note = try file.storedClass(named: "Note") else {
      return written.isEmpty ? [] : ["the class is gone"]
    }
    var problems: [String] = []
    for number in 1...12 as ClosedRange<Int64> {
      let found = try (0..<3 as Range<Int64>).filter {
        try file.find(note.id, key: .int(number * 3 + $0)) != nil
      }
      if found.count == 3 || found.isEmpty && !written.contains(number) { continue }
      problems.append("\(found.count) of 3 objects of transaction \(number)")
    }
    return problems
  }
}
