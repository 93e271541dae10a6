import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Changesets that supersede others and are superseded themselves, as `protocol/changeset.md` allows it.
///
/// A repair of Atoll's says again what a superseded one of its own had said; another program need not.
@Suite struct SupersedingTests {
  private static let replica = ReplicaID(high: 7, low: 7)

  private static func author(_ incarnation: UInt64) -> Author {
    Author(replica: replica, incarnation: Incarnation(incarnation))
  }

  /// Makes a document, or supersedes the first changeset of the incarnation before.
  private static func changeset(_ incarnation: UInt64) -> IncomingChangeset {
    let author = author(incarnation)
    var changeset = Changeset(
      author: author, sequence: .first,
      time: HybridTime(milliseconds: 1_000_000 + incarnation), operations: [])
    if incarnation == 1 {
      changeset.declarations = [
        .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int))
      ]
      changeset.operations = [
        .data(
          .create(
            ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first), []))
      ]
    } else {
      changeset.declarations = [.author(Self.author(incarnation - 1))]
      changeset.operations = [
        .control(.supersede(AuthorNumber(1), from: .first, through: .first))
      ]
    }
    return IncomingChangeset(author: author, sequence: .first, bytes: changeset.encoded())
  }

  /// Every order of some changesets.
  private static func orders(of numbers: [UInt64]) -> [[UInt64]] {
    guard numbers.count > 1 else { return [numbers] }
    return numbers.indices.flatMap { index in
      var rest = numbers
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }

  @Test(arguments: 1...4)
  func `issue 28.4: what a superseded changeset supersedes stays superseded, in every order`(
    count: Int
  ) throws {
    let numbers = (1...UInt64(count)).map { $0 }
    for (place, order) in Self.orders(of: numbers).enumerated() {
      let store = try TestStore("store\(place)")
      for number in order {
        let outcomes = try store.file.apply([Self.changeset(number)])
        guard case .applied? = outcomes.first else { throw TestFailure("\(order): \(outcomes)") }
      }
      let isThere = try store.exported().contains("\"key\":1")
      #expect(isThere == (count == 1), "\(order)")
      #expect(try store.file.verify() == [], "\(order)")
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"), arguments: 1...4)
  func `issue 28.4: a program in another language leaves it superseded, too`(count: Int) throws {
    for order in [Array(1...UInt64(count)), (1...UInt64(count)).reversed()] {
      let store = try TestStore("store\(order[0])")
      let history = order.map(Self.changeset)
      _ = try store.file.apply(history)
      let digests = try store.file.stateDigests().filter { $0.digest != .zero }
      let different = try IndependentDecoder.disagreements(
        on: history.map { ("\($0.author)", $0.bytes) }, export: store.exported(),
        digests: digests.map { ($0.class.name, "\($0.digest)") },
        total: "\(try store.file.stateDigest())")
      #expect(different.isEmpty, "\(order): \(different)")
    }
  }
}
