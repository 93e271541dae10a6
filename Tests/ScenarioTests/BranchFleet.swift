import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// A writer whose disk is rolled back, and those who have heard of one of its histories each, of several,
/// or of none.
final class BranchFleet {
  private let folder: TemporaryFolder
  private(set) var writer: Peer
  /// The peers that know one history, in the order of the histories.
  let hearers: [Peer]
  /// Has heard of the first history from who heard of it.
  let second: Peer
  /// Has heard of all of them, before anybody else has.
  private let wise: Peer
  /// The former name of the writer.
  let former: Author
  private var images: [DiskImage] = []
  private var drawn: UInt64 = 0
  private var items: [Int] = []
  /// The marks of all edits, by what was edited.
  private var marks: [Int: Set<Int>] = [:]
  private var lastMark = 500

  var peers: [Peer] { [writer] + hearers + [second, wise] }
  /// The peers that learn of a fork from a link.
  var unaware: [Peer] { [writer] + hearers + [second] }

  init(in folder: TemporaryFolder) throws {
    self.folder = folder
    let writer = try Peer("M", in: folder, schema: BranchMatter.schema)
    try writer.write(at: 0, Model.fill)
    func peer(_ name: String) throws -> Peer {
      let peer = try Peer(name, in: folder, schema: BranchMatter.schema)
      try peer.receive(from: writer)
      return peer
    }
    hearers = try ["B", "P", "Q", "R"].map(peer)
    second = try peer("X")
    wise = try peer("Y")
    former = writer.store.author
    self.writer = writer
  }

  /// Each history is heard of by one other peer, which writes into it, before the disk is rolled back:
  /// what nobody has heard of then is gone.
  func fork(random: inout SeededRandom, histories: Int = 2) throws {
    try keepImage()
    for history in 0..<histories {
      for step in 0..<(1 + random.below(3)) {
        try write(history * 10 + step, random: &random)
        if histories > 2, random.chance(1, of: 2) { try keepImage() }
      }
      try write(history * 10 + 9, random: &random)
      let hearer = hearers[history]
      try hear(hearer, of: writer, at: 600)
      try editAll(by: hearer, at: 600)
      if history == 0 {
        try hear(second, of: hearer, at: 650)
        try editAll(by: second, at: 650)
      }
      guard history < histories - 1 else { break }
      let image = random.below(images.count)
      try reopen { try images[image].putBack() }
      images.removeSubrange((image + 1)...)
    }
    for hearer in hearers.shuffled(using: &random) { try hear(wise, of: hearer, at: 700) }
    try editAll(by: wise, at: 700)
  }

  /// All that it could hear of is applied: clocks are not far apart.
  private func hear(_ peer: Peer, of other: Peer, at seconds: Int64) throws {
    peer.clock.set(secondsAfterStart: seconds)
    for outcome in try peer.store.apply(try other.changesets().map(\.incoming)) {
      switch outcome {
      case .applied, .branched, .duplicate: continue
      case .deferred, .missing, .detached, .overflowing, .equivocation, .refused:
        Issue.record("\(peer.name) answered \(outcome) to \(other.name)")
      }
    }
  }

  /// Something new, between the others' and in all that is there of every kind.
  private func write(_ number: Int, random: inout SeededRandom) throws {
    let known = try BranchMatter.all(on: writer.store)
    let edited = known.isEmpty ? nil : known[random.below(known.count)]
    let place = random.below(
      try Transaction(store: writer.store).document.list("items").count)
    let mark = nextMark()
    try writer.write(at: Int64(100 + number)) { transaction in
      let document = try transaction.document
      try document.list("items").append(.int(number))
      try document.list("items").move(place, to: 0)
      try document.list("es").element(0).set("v", .int(-number))
      try document.set("one", ["v": .int(number), "w": 1])
      try document.embedded("one").set("w", .int(number))
      try document.set("n", .int(number))
      try document.add(1, to: "n")
      try BranchMatter(number: number).make(in: transaction)
      try edited?.edit(mark, in: transaction)
    }
    items.append(number)
    marks[number] = []
    if let edited { marks[edited.number, default: []].insert(mark) }
  }

  /// Edits all that a peer knows of, in one transaction.
  func editAll(by peer: Peer, at seconds: Int64) throws {
    let (known, mark) = (try BranchMatter.all(on: peer.store), nextMark())
    try peer.write(at: seconds) { transaction in
      for matter in known { try matter.edit(mark, in: transaction) }
    }
    for matter in known { marks[matter.number, default: []].insert(mark) }
  }

  private func nextMark() -> Int {
    lastMark += 1
    return lastMark
  }

  private func keepImage() throws {
    try reopen { images.append(try DiskImage(of: folder.storePath("M"))) }
  }

  private func reopen(_ work: () throws -> Void) throws {
    writer.store.close()
    try work()
    drawn += 100
    writer = try Peer("M", in: folder, schema: BranchMatter.schema, drawn: drawn)
  }

  /// Nothing of any history is lost, and nothing that was written into it.
  func expectAll(on peer: Peer) throws {
    let shown = try peer.shows("items")
    for number in items {
      let count = shown.split(whereSeparator: { !$0.isNumber }).filter { $0 == "\(number)" }.count
      #expect(count >= 1, "\(number) is not among \(shown)")
    }
    for (number, marks) in marks.sorted(by: { $0.key < $1.key }) {
      try BranchMatter(number: number).expect(marks, on: peer)
    }
  }
}
