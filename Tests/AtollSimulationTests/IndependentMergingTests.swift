import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

@testable import AtollSimulation

/// Random programs of every kind of operation, by Atoll and by `protocol/tools/merging.py`.
@Suite struct IndependentMergingTests {
  private static let storeID = StoreID(high: 0x4000, low: 1 << 63)

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `issue 32.7: the programs of the simulation come to the same by the pages alone`() throws {
    var random = SeededRandom.announced("random programs by the pages")
    for _ in 0..<20 {
      let files = try (0..<3).map { _ in
        try StoreFile.open(StoreFile.inMemory, options: StoreOptions(storeID: Self.storeID))
      }
      defer { for file in files { file.close() } }
      var programs = try files.map {
        try RandomProgram(in: $0, seed: UInt64(random.below(1 << 40)))
      }
      for _ in 0..<60 {
        let place = random.below(3)
        if random.chance(1, of: 4) {
          try Self.exchange(from: files[random.below(3)], to: files[place])
        }
        try programs[place].transact(files[place])
      }
      for file in files { try Self.exchange(from: file, to: files[0]) }
      let different = try Self.disagreements(on: files[0])
      #expect(different.isEmpty, "seed \(random.seed): \(different)")
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func
    `issue 32.7: so do whole clusters, with clocks that were repaired, and replicas that were removed`()
    throws
  {
    var compared = 0
    for seed in 1...12 as ClosedRange<UInt64> {
      var simulation = Simulation(seed: seed)
      simulation.takesSnapshots = false
      simulation.hasOwners = seed.isMultiple(of: 2)
      let folder = try AtollSimulation.TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let world = try World(simulation, in: folder)
      #expect(world.run().violations.isEmpty)
      let file = try StoreFile.open(
        world.nodes[0].path, options: StoreOptions(isReadOnly: true, mayCreate: false))
      defer { file.close() }
      guard try file.deferredChangesets().isEmpty, try file.forks().isEmpty else { continue }
      let different = try Self.disagreements(on: file)
      #expect(different.isEmpty, "seed \(seed): \(different)")
      compared += 1
    }
    #expect(compared > 6)
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func
    `issue 32.7: their snapshots are read by the pages alone, with forks, cut logs and what was put back`()
    throws
  {
    var (compared, forked) = (0, 0)
    for seed in 9...16 as ClosedRange<UInt64> {
      var simulation = Simulation(seed: seed)
      simulation.rollsDisksBack = true
      simulation.cutsWhileRollingBack = true
      let folder = try AtollSimulation.TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let world = try World(simulation, in: folder)
      #expect(world.run().violations.isEmpty)
      let file = try StoreFile.open(world.nodes[0].path, options: StoreOptions(mayCreate: false))
      defer { file.close() }
      try file.makeSnapshot()
      guard let offer = try file.snapshotOffer() else { continue }
      let pages = try file.snapshotPages(of: offer.id, from: 0, count: offer.pages)
      let found = try IndependentDecoder.held(byPages: pages.map(\.bytes))
      let (export, digests) = try Self.outcome(of: file)
      let expected = IndependentDecoder.lines(
        export: export, digests: digests, total: "\(try file.stateDigest())")
      #expect(IndependentDecoder.comparable(found) == expected, "seed \(seed): \(found.prefix(3))")
      compared += 1
      forked += try file.forks().isEmpty ? 0 : 1
    }
    #expect(compared > 4)
    #expect(forked > 0)
  }

  private static func outcome(
    of file: StoreFile
  ) throws -> (export: String, digests: [(class: String, digest: String)]) {
    var export = ""
    try file.export { export += $0 }
    let digests = try file.stateDigests().filter { $0.digest != .zero }
    return (export, digests.map { ($0.class.name, "\($0.digest)") })
  }

  private static func disagreements(on file: StoreFile) throws -> [String] {
    let (export, digests) = try outcome(of: file)
    let log = try file.entries(lackedBy: VersionVector(), after: .start, limitBytes: .max)
    return try IndependentDecoder.disagreements(
      on: log.entries.map { ("\($0.id.author)", $0.bytes) }, export: export, digests: digests,
      total: "\(file.stateDigest())")
  }

  private static func exchange(from file: StoreFile, to other: StoreFile) throws {
    let lacking = try file.entries(
      lackedBy: other.holdings().stored, after: .start, limitBytes: .max)
    let outcomes = try other.apply(
      lacking.entries.map {
        IncomingChangeset(author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes)
      })
    #expect(outcomes.allSatisfy { if case .applied = $0 { true } else { false } })
  }
}
