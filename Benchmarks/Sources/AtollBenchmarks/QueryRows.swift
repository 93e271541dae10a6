import Atoll
import Foundation

/// What queries cost beside the search itself: reading text, building from closures, compiling.
///
/// The figures are of a thousand queries each, so that milliseconds are microseconds a query.
struct QueryRows {
  private static let count = 1000
  private let scratch: Scratch
  /// Without an object, so that running a query is next to nothing.
  private let store: Store

  init() throws {
    scratch = try Scratch()
    store = try openStore(scratch.file("empty.atoll"))
  }

  var rows: [Benchmark] {
    [
      row("1,000 queries made from text", target: 20) { index in
        _ = clubs.filter("count > %@ AND name BEGINSWITH %@", index, "Club")
      },
      row("1,000 queries made from closures", target: 20) { index in
        _ = clubs.where { $0.count > index && $0.name.starts(with: "Club") }
      },
      Benchmark(
        name: "1,000 queries of new forms from text, compiled, run on nothing",
        peer: "target, ms", target: 1, ours: newForms, theirs: { 20 }),
      Benchmark(
        name: "1,000 queries of one form, compiled before, run on nothing", peer: "target, ms",
        target: 1, ours: knownForm, theirs: { 2 }),
    ]
  }

  private var clubs: Results<FlatClub> { store.objects(FlatClub.self) }

  private func row(
    _ name: String, target: Double, _ body: @escaping (Int) -> Void
  ) -> Benchmark {
    Benchmark(
      name: name, peer: "target, ms", target: 1,
      ours: { milliseconds { for index in 0..<Self.count { body(index) } } },
      theirs: { target })
  }

  /// A file of its own each time, which has compiled none of them.
  private func newForms() throws -> Double {
    let scratch = try Scratch()
    let store = try openStore(scratch.file("empty.atoll"))
    let clubs = store.objects(FlatClub.self)
    let comparisons = ["==", "!=", "<", "<=", ">", ">="]
    let numbers = ["pk", "count", "latitude", "longitude"]
    return milliseconds {
      for index in 0..<Self.count {
        let property = numbers[index % 4]
        let first = comparisons[index / 4 % 6]
        let second = comparisons[index / 24 % 6]
        let third = comparisons[index / 144 % 6]
        let text = "\(property) \(first) %@ AND pk \(second) %@ OR count \(third) %@"
        precondition(clubs.filter(text, index, 3, 4).first == nil)
      }
    }
  }

  private func knownForm() -> Double {
    let queries = (0..<Self.count).map { index in
      clubs.where { $0.count > index && $0.name.starts(with: "Club") }
    }
    return milliseconds { for query in queries { precondition(query.first == nil) } }
  }
}
