public import Atoll
import AtollVocabulary

/// One run of a cluster in one process, decided entirely by its seed.
///
/// ```swift
/// let report = try Simulation(seed: 42).run()
/// precondition(report.violations.isEmpty, "\(report)")
/// ```
public struct Simulation: Sendable {
  /// The number that all of a run is drawn from.
  public var seed: UInt64
  /// The seed draws a number from this range.
  public var nodes: ClosedRange<Int>
  /// Write transactions of all nodes together.
  public var transactions: Int
  /// A fault of the product that is made on purpose, to see that it is found.
  var sabotage: Sabotage?
  /// True if disks are rolled back under files that cannot tell, too.
  package var rollsDisksBack = false
  /// True if logs are cut as well while disks are rolled back.
  package var cutsWhileRollingBack = false
  /// One of the nodes is malicious, and passes on something else than what came.
  package var hasForger = false
  /// The store has owners, who admit the replicas one after the other.
  package var hasOwners = false
  /// Tells whether replicas of such a store get other keys on the way.
  package var rotatesKeys = false
  /// True if half of the clusters have a node that comes late and begins with a snapshot, and half of them
  /// cut their logs.
  package var takesSnapshots = true
  /// Canonical bytes after which a transaction goes on in another changeset.
  package var partBytes = Limits.partBytes
  var application: Application?

  /// A simulation of the product with its own program.
  public init(seed: UInt64, nodes: ClosedRange<Int> = 2...10, transactions: Int = 40) {
    self.seed = seed
    self.nodes = max(2, nodes.lowerBound)...max(2, nodes.upperBound)
    self.transactions = transactions
  }

  /// The write transaction of a program: it takes every choice from the generator, so that the seed
  /// repeats it.
  public typealias Write = @Sendable (Store, inout SimulationRandom) throws -> Void
  /// Throws if a store is not as it should be.
  public typealias Check = @Sendable (Store) throws -> Void

  /// A run of a program's own model classes.
  ///
  /// - Parameters:
  ///   - seed: Decides everything.
  ///   - nodes: Of which the seed draws a number.
  ///   - transactions: Of all nodes together.
  ///   - objectTypes: The model classes.
  ///   - write: Called inside each write transaction, on some node.
  ///   - check: Called with each node's store once all are equal.
  public init(
    seed: UInt64, nodes: ClosedRange<Int> = 2...10, transactions: Int = 40,
    objectTypes: [ObjectBase.Type], write: @escaping Write, check: Check? = nil
  ) {
    self.init(seed: seed, nodes: nodes, transactions: transactions)
    application = Application(objectTypes: objectTypes, write: write, check: check)
  }

  /// The command that repeats the run.
  var command: String {
    guard application == nil else {
      return "Simulation(seed: \(seed), …).run(), with the same arguments"
    }
    return "swift run -c release atoll-cluster simulate --seeds 1 --seed \(seed) "
      + "--transactions \(transactions)" + (takesSnapshots ? "" : " --no-snapshots")
      + (hasForger ? " --forger" : "") + (hasOwners ? " --owners" : "")
      + (rotatesKeys ? " --keys" : "") + (cutsWhileRollingBack ? " --disks" : "")
      + (partBytes == Limits.partBytes ? "" : " --part-bytes \(partBytes)")
  }

  /// Runs to the end and reports; what went wrong is in the report's violations.
  ///
  /// - Throws: what the operating system says if files cannot be made in the temporary folder.
  public func run() throws -> SimulationReport {
    let folder = try TemporaryFolder()
    let world = try World(self, in: folder)
    return world.run()
  }
}

/// A fault of the product, made on purpose.
enum Sabotage: Sendable {
  /// A node alters an operation of the last changeset it receives.
  case alteredOperation
  /// A node says that it applied what it did not write.
  case earlyAcknowledgement
  /// Nodes ignore `request`, by which lost changesets are asked for.
  case ignoredRequests
  /// Commits are not flushed, and the power is cut all the same.
  case unflushed
  /// Changesets are sent many times over.
  case repetition
  /// Announcements are sent many times over.
  case chatter
  /// An observer is not told of a commit.
  case silence
  /// A transfer takes and does not give.
  case theft
  /// A node's log comes with an effect before its cause.
  case disorder
  /// A row is modified externally, past the log.
  case externallyModifiedRow
  /// A node says of others that they have more than they said.
  case exaggeration
  /// A bit is another one in some of what passes over links.
  case noise
  /// A disk does not take what is written, and nobody pulled its plug.
  case brokenDisk
}
