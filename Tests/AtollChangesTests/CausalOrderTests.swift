import AtollChanges
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// The rules together: what three replicas do to one object comes out alike in every order that
/// respects causality.
@Suite struct CausalOrderTests {
  /// `ATOLL_CASES=100000` checks more of them.
  private static let cases =
    ProcessInfo.processInfo.environment["ATOLL_CASES"].flatMap { Int($0) } ?? 2_000
  private static let orders = 4

  @Test(arguments: CellKind.allCases)
  fileprivate func `random histories come out alike in every causal order`(kind: CellKind) {
    var random = SeededRandom.announced("histories of \(kind)")
    for round in 0..<Self.cases {
      let history = History(of: kind, &random)
      let states = (0..<Self.orders).map { _ in history.stateInRandomOrder(&random) }
      let comment: Comment = "\(kind), seed \(random.seed), round \(round)"
      #expect(states.allSatisfy { $0 == states[0] }, comment)
      #expect(history.replicas.allSatisfy { $0.state == states[0] }, comment)
      #expect(history.isExchanged, comment)
      guard states.allSatisfy({ $0 == states[0] }) else { return }
    }
  }
}

/// The cells that a history is about; generations begin and end in each.
private enum CellKind: CaseIterable {
  case existence
  case counter
  case slot
  case members
  case list
}

/// An operation, by whom and when, and what its author had applied.
private struct Written {
  var change: Change
  var generation: Generation
  var stamp: Stamp
  var writer: Int
  /// The number of operations of each replica that its writer had applied, its own included.
  var context: [Int]
}

private enum Change {
  case create(defaultCount: Int64)
  case delete
  case assign(Int64)
  case step(Int64, on: Stamp?)
  case fill(v: Int, w: Int)
  case empty
  case edit(isV: Bool, Int, in: Stamp)
  case insertMember(Int)
  case removeMember(Int)
  case insert(PositionKey)
  case set(ChangeIdentity, Int)
  case move(ChangeIdentity, PositionKey)
  case remove(ChangeIdentity)
}

/// One object as the merge rules make it from operations.
private struct ObjectState: Equatable {
  var generation = Generation.unknown
  var count = Counter()
  var slot: EmbeddedSlot?
  var v: Register<Int>?
  var w: Register<Int>?
  var members: [Int: KeyedRegister<Int>] = [:]
  var elements: [ChangeIdentity: ListElement<Int>] = [:]

  /// Ascending by place.
  var visible: [ListElement<Int>] { elements.values.filter { !$0.isRemoved }.sorted() }

  mutating func apply(_ written: Written) {
    let order = RegisterStamp(isAssigned: true, stamp: written.stamp)
    let later = Existence.merge(generation, written.generation)
    if later != generation { self = ObjectState(generation: later) }
    switch written.change {
    case .create(let value):
      guard written.generation == generation else { return }
      let recorded = RegisterStamp(isAssigned: false, stamp: written.stamp)
      count.assign(value, recorded)
      fill(Int(value), Int(value), recorded)
    case .delete: return
    case .assign, .step, .fill, .empty, .edit, .insertMember, .removeMember, .insert, .set, .move,
      .remove:
      guard Existence.admits(written.generation, in: generation) else { return }
      change(written.change, written.stamp, order)
    }
  }

  private mutating func change(_ change: Change, _ stamp: Stamp, _ order: RegisterStamp) {
    switch change {
    case .create, .delete: return
    case .assign(let value): count.assign(value, order)
    case .step(let amount, let base): count.step(by: amount, on: base)
    case .fill(let v, let w): fill(v, w, order)
    case .empty: put(EmbeddedSlot(isPresent: false, order: order))
    case .edit(let isV, let value, let instance):
      guard slot?.admits(instance) == true else { return }
      let new = Register(value, order)
      if isV { v = v?.merged(with: new) ?? new } else { w = w?.merged(with: new) ?? new }
    case .insertMember(let value): merge(value, KeyedRegister(value, stamp))
    case .removeMember(let value): merge(value, KeyedRegister(nil, stamp))
    case .insert(let position):
      let identity = ChangeIdentity(author: stamp.author, sequence: .first, index: stamp.index)
      elements[identity] = ListElement(
        identity: identity, position: Register(position, order), value: Register(0, order))
    case .set(let identity, let value):
      guard var element = elements[identity], !element.isRemoved else { return }
      element.value = element.value.merged(with: Register(value, order))
      elements[identity] = element
    case .move(let identity, let position):
      guard var element = elements[identity], !element.isRemoved else { return }
      element.position = element.position.merged(with: Register(position, order))
      elements[identity] = element
    case .remove(let identity):
      // Its value and position count for nothing any more.
      elements[identity] = Self.gone(identity)
    }
  }

  /// An element that was removed, as everyone remembers it.
  private static func gone(_ identity: ChangeIdentity) -> ListElement<Int> {
    let none = RegisterStamp(
      isAssigned: false,
      stamp: Stamp(time: .zero, author: identity.author, index: identity.index))
    return ListElement(
      identity: identity, position: Register(Samples.firstKey, none), value: Register(0, none),
      isRemoved: true)
  }

  private mutating func merge(_ value: Int, _ register: KeyedRegister<Int>) {
    members[value] = members[value]?.merged(with: register) ?? register
  }

  private mutating func fill(_ v: Int, _ w: Int, _ order: RegisterStamp) {
    guard put(EmbeddedSlot(isPresent: true, order: order)) else { return }
    self.v = Register(v, order)
    self.w = Register(w, order)
  }

  /// Puts an instance in if it is the later one, with nothing in it; says whether it did.
  @discardableResult
  private mutating func put(_ new: EmbeddedSlot) -> Bool {
    let merged = slot?.merged(with: new) ?? new
    guard merged != slot else { return false }
    (slot, v, w) = (merged, nil, nil)
    return true
  }
}

/// A replica that writes and receives.
private struct Replica {
  var state = ObjectState()
  var applied = [0, 0, 0]
  var time: UInt64 = 0

  mutating func apply(_ written: Written) {
    state.apply(written)
    applied[written.writer] += 1
    time = max(time, written.stamp.time.rawValue)
  }

  func accepts(_ written: Written) -> Bool {
    applied[written.writer] == written.context[written.writer]
      && zip(applied, written.context).allSatisfy { $0 >= $1 }
  }
}

private struct History {
  private(set) var replicas = (0..<3).map { _ in Replica() }
  /// The operations of each replica.
  private var logs: [[Written]] = [[], [], []]

  private static let authors = (0..<3).map { Samples.author(UInt64($0 + 1)) }
  private static let names = authors.map { PositionName($0) }

  /// Writes 4 to 10 operations, with exchanges in between, and lets all have everything in the end.
  init(of kind: CellKind, _ random: inout SeededRandom) {
    for _ in 0..<4 + random.below(7) {
      let writer = random.below(3)
      if random.chance(1, of: 3) { receive(writer, from: random.below(3), &random) }
      write(writer, kind, &random)
    }
    // An operation that waits for a third one comes only after it, so each round brings one
    // operation at least.
    let all = logs.map(\.count)
    for _ in 0..<all.reduce(0, +) where replicas.contains(where: { $0.applied != all }) {
      for receiver in replicas.indices {
        for sender in replicas.indices { receive(receiver, from: sender) }
      }
    }
  }

  /// True if every replica has applied everything.
  var isExchanged: Bool { replicas.allSatisfy { $0.applied == logs.map(\.count) } }

  /// Some of what `sender` wrote, as far as causality lets it.
  private mutating func receive(
    _ receiver: Int, from sender: Int, _ random: inout SeededRandom
  ) {
    receive(receiver, from: sender, atMost: 1 + random.below(4))
  }

  private mutating func receive(_ receiver: Int, from sender: Int, atMost count: Int = .max) {
    let next = replicas[receiver].applied[sender]
    for written in logs[sender].dropFirst(next).prefix(count) {
      guard replicas[receiver].accepts(written) else { return }
      replicas[receiver].apply(written)
    }
  }

  private mutating func write(_ writer: Int, _ kind: CellKind, _ random: inout SeededRandom) {
    var replica = replicas[writer]
    let time = max(replica.time + 1, UInt64(random.below(12)))
    let stamp = Stamp(
      time: HybridTime(rawValue: time), author: Self.authors[writer],
      index: UInt32(logs[writer].count))
    let (change, generation) = change(replica.state, writer, kind, &random)
    let written = Written(
      change: change, generation: generation, stamp: stamp, writer: writer, context: replica.applied
    )
    replica.apply(written)
    replicas[writer] = replica
    logs[writer].append(written)
  }

  /// Everything in a random order, each operation after all that its writer had applied.
  func stateInRandomOrder(_ random: inout SeededRandom) -> ObjectState {
    var replica = Replica()
    while true {
      let ready = logs.indices.compactMap { log in
        logs[log].dropFirst(replica.applied[log]).first.flatMap { replica.accepts($0) ? $0 : nil }
      }
      guard let next = ready.randomElement(using: &random) else { return replica.state }
      replica.apply(next)
    }
  }

  // MARK: What a writer who sees `state` can do

  private func change(
    _ state: ObjectState, _ writer: Int, _ kind: CellKind, _ random: inout SeededRandom
  ) -> (Change, Generation) {
    if let generation = Existence.created(after: state.generation) {
      return (.create(defaultCount: Int64(random.below(5))), generation)
    }
    let endsGeneration = random.chance(1, of: kind == .existence ? 2 : 10)
    if endsGeneration, let generation = Existence.deleted(after: state.generation) {
      return (.delete, generation)
    }
    let change =
      switch kind {
      case .existence, .counter:
        random.chance(1, of: 3)
          ? Change.assign(Int64(random.below(100)))
          : .step(Int64(1 + random.below(9)), on: state.count.stepBase)
      case .slot: slotChange(state, &random)
      case .members:
        random.chance(1, of: 2)
          ? Change.insertMember(random.below(3)) : .removeMember(random.below(3))
      case .list: listChange(state, writer, &random)
      }
    return (change, state.generation)
  }

  private func slotChange(_ state: ObjectState, _ random: inout SeededRandom) -> Change {
    if let instance = state.slot?.instance, random.chance(2, of: 3) {
      return .edit(isV: random.chance(1, of: 2), random.below(100), in: instance)
    }
    return random.chance(1, of: 3) ? .empty : .fill(v: random.below(100), w: random.below(100))
  }

  private func listChange(
    _ state: ObjectState, _ writer: Int, _ random: inout SeededRandom
  ) -> Change {
    let visible = state.visible
    func place() -> PositionKey {
      let index = random.below(visible.count + 1)
      return .between(
        index > 0 ? visible[index - 1].position.value : nil,
        index < visible.count ? visible[index].position.value : nil, name: Self.names[writer])
    }
    guard !visible.isEmpty, random.chance(3, of: 4) else { return .insert(place()) }
    let element = visible[random.below(visible.count)].identity
    switch random.below(4) {
    case 0: return .remove(element)
    case 1: return .move(element, place())
    default: return .set(element, 1 + random.below(100))
    }
  }
}
