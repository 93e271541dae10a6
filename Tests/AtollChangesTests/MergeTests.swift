import AtollChanges
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Each rule alone: whatever the order and the repetition, the same result.
@Suite struct MergeTests {
  /// `ATOLL_CASES=100000` checks more of them.
  private static let cases =
    ProcessInfo.processInfo.environment["ATOLL_CASES"].flatMap { Int($0) } ?? 2_000

  /// Checks the laws of a merge for random states, of which no two share a stamp.
  private func checkLaws<State: Equatable>(
    _ name: String, merge: (State, State) -> State,
    states: (inout SeededRandom) -> [State]
  ) {
    var random = SeededRandom.announced(name)
    for round in 0..<Self.cases {
      let states = states(&random)
      let (a, b, c) = (states[0], states[1], states[2])
      let comment: Comment = "\(name), seed \(random.seed), round \(round)"
      #expect(merge(a, b) == merge(b, a), comment)
      #expect(merge(merge(a, b), c) == merge(a, merge(b, c)), comment)
      #expect(merge(a, a) == a, comment)
      let orders = [states.shuffled(using: &random), states.shuffled(using: &random) + states]
      let results = orders.map { $0.dropFirst().reduce($0[0], merge) }
      #expect(results[0] == results[1], comment)
    }
  }

  /// Stamps that differ pairwise, close enough in time that author and index decide often.
  private func stamps(_ count: Int, _ random: inout SeededRandom) -> [Stamp] {
    var stamps = Set<Stamp>()
    while stamps.count < count {
      stamps.insert(
        Stamp(
          time: HybridTime(rawValue: UInt64(random.below(3))),
          author: Samples.author(UInt64(random.below(3))), index: UInt32(random.below(3))))
    }
    return stamps.sorted().shuffled(using: &random)
  }

  private func orders(_ count: Int, _ random: inout SeededRandom) -> [RegisterStamp] {
    stamps(count, &random).map {
      RegisterStamp(isAssigned: random.chance(1, of: 2), stamp: $0)
    }
  }

  // MARK: Laws

  @Test func `existence merges alike in every order`() {
    checkLaws("existence", merge: Existence.merge) { random in
      (0..<5).map { _ in Generation(UInt32(random.below(6))) }
    }
  }

  @Test func `registers merge alike in every order`() {
    checkLaws("register", merge: { $0.merged(with: $1) }) { random in
      orders(5, &random).map { Register(random.below(3), $0) }
    }
  }

  @Test func `embedded slots merge alike in every order`() {
    checkLaws("slot", merge: { $0.merged(with: $1) }) { random in
      orders(5, &random).map { EmbeddedSlot(isPresent: random.chance(3, of: 4), order: $0) }
    }
  }

  @Test func `members and entries merge alike in every order`() {
    checkLaws("member", merge: { $0.merged(with: $1) }) { random in
      stamps(5, &random).map { KeyedRegister(random.chance(1, of: 3) ? nil : random.below(3), $0) }
    }
  }

  @Test func `list elements merge alike in every order`() {
    checkLaws("element", merge: { $0.merged(with: $1) }) { random in
      let identity = ChangeIdentity(author: Samples.author, sequence: .first, index: 0)
      return zip(orders(5, &random), orders(5, &random)).map { position, value in
        ListElement(
          identity: identity, position: Register(random.position(), position),
          value: Register(random.below(3), value), isRemoved: random.chance(1, of: 8))
      }
    }
  }

  @Test func `counters count alike in every causal order`() {
    var random = SeededRandom.announced("counter")
    for round in 0..<Self.cases {
      let values = orders(4, &random).map { (value: Int64(random.below(100)), order: $0) }
      let steps = values.flatMap { value in
        (0..<random.below(3)).map { _ in
          (on: value.order.isAssigned ? value.order.stamp : nil, by: Int64(random.below(100)))
        }
      }
      let results = (0..<4).map { _ in
        causalResult(values.shuffled(using: &random), steps.shuffled(using: &random), &random)
      }
      #expect(
        results.allSatisfy { $0 == results[0] }, "counter, seed \(random.seed), round \(round)")
    }
  }

  /// Applies values in order, each step at any moment after the value it was made on.
  private func causalResult(
    _ values: [(value: Int64, order: RegisterStamp)], _ steps: [(on: Stamp?, by: Int64)],
    _ random: inout SeededRandom
  ) -> Counter {
    var counter = Counter()
    var waiting = steps
    func applyReady(_ isLast: Bool, after known: [RegisterStamp], _ random: inout SeededRandom) {
      waiting = waiting.filter { step in
        let isReady = known.contains { step.on == ($0.isAssigned ? $0.stamp : nil) }
        guard isReady, isLast || random.chance(1, of: 2) else { return true }
        counter.step(by: step.by, on: step.on)
        return false
      }
    }
    for (index, value) in values.enumerated() {
      counter.assign(value.value, value.order)
      let known = values[...index].map(\.order)
      applyReady(index == values.count - 1, after: known, &random)
    }
    return counter
  }

  // MARK: Meaning

  private func stamp(_ time: UInt64, _ author: UInt64 = 1) -> Stamp {
    Stamp(time: HybridTime(rawValue: time), author: Samples.author(author), index: 0)
  }

  private func assigned(_ time: UInt64, by author: UInt64 = 1) -> RegisterStamp {
    RegisterStamp(isAssigned: true, stamp: stamp(time, author))
  }

  private func recorded(_ time: UInt64, by author: UInt64 = 1) -> RegisterStamp {
    RegisterStamp(isAssigned: false, stamp: stamp(time, author))
  }

  @Test func `an assignment beats a later default`() {
    #expect(recorded(20) < assigned(10))
    #expect(recorded(10) < recorded(20))
    #expect(assigned(10, by: 1) < assigned(10, by: 2))
  }

  @Test func `creating gives the next odd number, deleting the next even one`() {
    #expect(Existence.created(after: .unknown) == Generation(1))
    #expect(Existence.deleted(after: Generation(1)) == Generation(2))
    #expect(Existence.created(after: Generation(2)) == Generation(3))
    #expect(Existence.created(after: Generation(3)) == nil)
    #expect(Existence.deleted(after: Generation(2)) == nil)
    #expect(Existence.deleted(after: .unknown) == nil)
  }

  @Test func `generations end without a trap`() {
    #expect(Existence.created(after: Generation(UInt32.max - 1)) == Generation(UInt32.max))
    #expect(Existence.deleted(after: Generation(UInt32.max)) == nil)
  }

  @Test func `an edit counts only in the current generation`() {
    #expect(Existence.admits(Generation(1), in: Generation(1)))
    #expect(!Existence.admits(Generation(1), in: Generation(2)))
    #expect(!Existence.admits(Generation(1), in: Generation(3)))
    #expect(!Existence.admits(Generation(2), in: Generation(2)))
  }

  @Test func `a step on a replaced value is dropped, on the current one counts`() {
    var counter = Counter()
    counter.assign(100, assigned(10))
    let first = counter.step(by: 3, on: stamp(10))
    counter.assign(100, assigned(20))
    let second = counter.step(by: 3, on: stamp(10))
    #expect(first && !second)
    #expect(counter.value == 100)
  }

  @Test func `steps on a default outlive its replacement by another default`() {
    var counter = Counter()
    counter.assign(1, recorded(10))
    counter.step(by: 5, on: nil)
    counter.assign(2, recorded(20))
    #expect(counter.value == 7)
    counter.assign(0, assigned(5))
    counter.step(by: 5, on: nil)
    #expect(counter.value == 0)
  }

  @Test func `a sum wraps`() {
    var counter = Counter()
    counter.assign(Int64.max, assigned(1))
    counter.step(by: 1, on: stamp(1))
    #expect(counter.value == Int64.min)
  }

  @Test func `an edit counts only in the instance held`() {
    let slot = EmbeddedSlot(isPresent: true, order: assigned(10))
    #expect(slot.admits(stamp(10)))
    #expect(!slot.admits(stamp(9)))
    let cleared = slot.merged(with: EmbeddedSlot(isPresent: false, order: assigned(20)))
    #expect(!cleared.admits(stamp(10)) && !cleared.admits(stamp(20)))
  }

  @Test
  func `scenario 26 the later of an insertion and a removal holds, the removal is remembered`() {
    let inserted = KeyedRegister<Int>(5, stamp(10))
    let removed = KeyedRegister<Int>(nil, stamp(20))
    let again = KeyedRegister<Int>(5, stamp(30))
    #expect(!inserted.merged(with: removed).isPresent)
    #expect(!removed.merged(with: inserted).isPresent)
    #expect(removed.merged(with: again).merged(with: inserted) == again)
  }

  @Test func `a nil that a map holds is not a removal`() {
    let held = KeyedRegister<PersistedValue>(.null, stamp(10))
    #expect(held.isPresent && held.instance == stamp(10))
    #expect(KeyedRegister<PersistedValue>(nil, stamp(10)).instance == nil)
  }

  @Test func `elements at one position are ordered by identity`() {
    func element(_ index: UInt32) -> ListElement<Int> {
      ListElement(
        identity: ChangeIdentity(author: Samples.author, sequence: .first, index: index),
        position: Register(Samples.firstKey, assigned(1)), value: Register(0, assigned(1)))
    }
    #expect(element(1) < element(2))
  }
}
