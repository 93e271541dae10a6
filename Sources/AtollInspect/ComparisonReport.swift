package import AtollChanges
import AtollStorage
import AtollVocabulary

/// The objects by which a store and another replica differ.
package struct ComparisonReport: Codable, Hashable, Sendable {
  /// One side's state of an object.
  package struct Side: Codable, Hashable, Sendable {
    /// Nil if it was deleted.
    package let digest: String?

    init(_ object: DigestedObject) {
      digest = object.generation.isAlive ? "\(object.digest)" : nil
    }
  }

  package struct Difference: Codable, Hashable, Sendable {
    package let `class`: String
    package let key: String
    /// Nil where nothing is known of it.
    package let here: Side?
    package let there: Side?
  }

  package let differences: [Difference]
  /// True if there are more differences than were looked for.
  package let isCut: Bool
  /// Questions that the other side answered.
  package let exchanges: Int
  /// True if both sides had applied exactly the same all the time.
  package let isSameFrontier: Bool
  /// The digest of everything here, as first told.
  package let digest: String

  init(_ outcome: DigestSearch.Outcome) {
    differences = outcome.differences.map {
      Difference(
        class: $0.className, key: $0.key, here: $0.here.map(Side.init),
        there: $0.there.map(Side.init))
    }
    isCut = outcome.isCut
    exchanges = outcome.exchanges
    isSameFrontier = outcome.isSameFrontier
    digest = "\(outcome.here.digest)"
  }
}

extension Inspection {
  /// Compares with another replica, which `ask` brings a question to, and its answer back.
  ///
  /// - Throws: `DigestSearch.Failure` if the search came to no end.
  package func compare<Failure: Error>(
    asking ask: @escaping (DigestQuestion) throws(Failure) -> DigestAnswer
  ) throws -> ComparisonReport {
    var search = DigestSearch(file, ask: ask)
    return ComparisonReport(try search.run())
  }

  /// Compares with another replica on this machine.
  package func compare(with other: Inspection) throws -> ComparisonReport {
    try compare(asking: { try other.file.answer($0) })
  }
}
