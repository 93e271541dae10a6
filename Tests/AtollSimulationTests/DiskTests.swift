import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

@testable import AtollSimulation

/// One store on a disk that fills up, does not answer, or loses its power.
///
/// `ATOLL_SEEDS=1000` runs as many power cuts, and fails every call where a test fails some.
@Suite struct DiskTests {
  private static let seeds = ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap {
    UInt64($0)
  }

  @Test(arguments: [FaultDisk.Fault.full, .inputOutput], [false, true])
  func `whichever write or flush fails, what returned is there and nothing in part`(
    fault: FaultDisk.Fault, isLasting: Bool
  ) throws {
    let calls: Set<FaultDisk.Call> =
      fault == .full ? [.write] : [.open, .write, .truncate, .flush, .delete]
    #expect(try failEvery(fault, calls, isLasting: isLasting) > 200)
  }

  @Test func `whichever read fails, what returned is there and nothing in part`() throws {
    #expect(try failEvery(.inputOutput, [.read], isLasting: false) > 50)
  }

  @Test(arguments: 1...(Self.seeds ?? 40))
  func `a power cut loses nothing that returned, and leaves nothing in part`(seed: UInt64) throws {
    let problems = try cutPower(seed, durability: .full)
    #expect(problems.isEmpty, "seed \(seed): \(problems)")
  }

  @Test func `without flushing, a power cut is found to lose what returned`() throws {
    let found = try (1...20).contains { seed in
      try !cutPower(seed, durability: .none).isEmpty
    }
    #expect(found)
  }

  @Test(arguments: 1...(Self.seeds ?? 20))
  func `without flushing each commit, a power cut loses the last ones and leaves none in part`(
    seed: UInt64
  ) throws {
    let problems = try cutPower(seed, durability: .normal, mayLose: true)
    #expect(problems.isEmpty, "seed \(seed): \(problems)")
  }

  @Test(arguments: 1...(Self.seeds ?? 40))
  func `a bit that is read wrong stops nobody`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    let disk = try FaultDisk()
    let story = StoreStory(
      "\(folder.path)/a.atoll", on: disk, peer: try StoreStory.peerChangesets(in: folder.path))
    let bit = Int.random(in: 0..<4096 * 8, using: &random)
    let call = Int.random(in: 0..<60, using: &random)
    disk.plan(FaultDisk.Plan(.flip(bit: bit), at: [.read], after: call))
    story.run()
    disk.plan(nil)
    // It may have been written back, and is found then; what matters is that this returns.
    _ = story.problems()
  }

  @Test func `what a file shows after its process was killed is on the disk`() throws {
    let folder = try TemporaryFolder()
    let disk = try FaultDisk()
    let story = StoreStory("\(folder.path)/a.atoll", on: disk, peer: [])
    story.visit { file, note throws(StorageError) in
      try story.write(file, note)
      disk.plan(FaultDisk.Plan(.cut, at: [.flush]))
      try story.write(file, note)
    }
    #expect(disk.isCut)
    disk.returnPower()
    var shown = VersionVector()
    story.visit { file, _ throws(StorageError) in shown = try file.appliedVector() }
    try disk.losePower(seed: 1)
    let file = try StoreFile.open(story.path)
    defer { file.close() }
    #expect(shown.entries.map(\.sequence) == [SequenceNumber(2)])
    #expect(try file.appliedVector().includes(shown))
  }

  /// Fails one call after the other until the story ends before its turn; how many there were.
  ///
  /// Every 4th of them, each time from another one on, unless many seeds were asked for.
  private func failEvery(
    _ fault: FaultDisk.Fault, _ calls: Set<FaultDisk.Call>, isLasting: Bool
  ) throws -> Int {
    let folder = try TemporaryFolder()
    let peer = try StoreStory.peerChangesets(in: folder.path)
    let step = Self.seeds == nil ? 4 : 1
    var number = Int.random(in: 0..<step)
    while true {
      let disk = try FaultDisk()
      let story = StoreStory("\(folder.path)/\(number).atoll", on: disk, peer: peer)
      disk.plan(FaultDisk.Plan(fault, at: calls, after: number, isLasting: isLasting))
      story.run()
      guard disk.hasFired else { return number }
      let problems = story.problems()
      #expect(
        problems.isEmpty,
        "\(fault) at call \(number) of \(calls), lasting \(isLasting): \(problems), after \(story.failures)"
      )
      number += step
    }
  }

  /// Cuts the power at a random call, and says what is wrong afterwards.
  private func cutPower(
    _ seed: UInt64, durability: StoreOptions.Durability, mayLose: Bool = false
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    let disk = try FaultDisk()
    let story = StoreStory(
      "\(folder.path)/a.atoll", on: disk, durability: durability,
      peer: try StoreStory.peerChangesets(in: folder.path))
    let call = Int.random(in: 0..<320, using: &random)
    disk.plan(FaultDisk.Plan(.cut, at: [.write, .truncate, .flush], after: call))
    story.run()
    disk.cut()
    try disk.losePower(seed: random.next())
    return story.problems(mayLose: mayLose)
  }
}
