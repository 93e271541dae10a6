import AtollVocabulary

/// One run of a cluster in one process, decided entirely by its seed.
///
/// ```swift
/// let report = try Simulation(seed: 42).run()
/// precondition(report.violations.isEmpty, "\(report)")
/// ```
public struct Simulation: Sendable {
  public var seed: UInt64
  /// The seed draws a number from this range.
  public var nodes: ClosedRange<Int>
  /// Write transactions of all nodes together.
  public var transactions: Int
  /// A fault of the product that is made on purpose, to see that it is found.
  var sabotage: Sabotage?

  public init(seed: UInt64, nodes: ClosedRange<Int> = 3...6, transactions: Int = 40) {
    self.seed = seed
    self.nodes = max(2, nodes.lowerBound)...max(2, nodes.upperBound)
    self.transactions = transactions
  }

  /// Runs to the end and reports; what went wrong is in the report's violations.
  ///
  /// - Throws: what the operating system says if files cannot be made in the temporary folder.
  public func run() throws -> SimulationReport {
    let folder = try TemporaryFolder()
    let world = World(self, in: folder)
    return world.run()
  }
}

/// A fault of the product, made on purpose.
enum Sabotage: Sendable {
  /// A node alters an operation of the last changeset it receives.
  case alteredOperation
  /// A node says that it applied what it did not write.
  case earlyAcknowledgement
  /// Nodes do not answer when something lost is asked for.
  case deafness
}
