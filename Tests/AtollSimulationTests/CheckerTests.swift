import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

@testable import AtollSimulation

@Suite struct CheckerTests {
  private let author = Author(replica: ReplicaID(high: 1, low: 2), incarnation: Incarnation(3))
  private let other = Author(replica: ReplicaID(high: 9, low: 2), incarnation: Incarnation(3))

  @Test func `a dense and chained log passes`() {
    #expect(Checker.log(0, log(1...4)) == [])
  }

  @Test func `a log with a hole is found`() {
    var entries = log(1...4)
    entries.remove(at: 1)
    #expect(Checker.log(0, entries).map(\.kind) == [.log])
  }

  @Test func `a log with an altered byte is found`() {
    var entries = log(1...4)
    entries[2].bytes[entries[2].bytes.count - 1] ^= 1
    #expect(Checker.log(0, entries).map(\.kind) == [.log])
  }

  @Test func `an effect before its cause is found`() {
    let cause = log(1...1)
    let head = ChangesetID(author: author, sequence: .first, hash: cause[0].id.hash)
    let effect = entry(
      Changeset(
        author: other, sequence: .first, time: HybridTime(milliseconds: 5),
        dependencies: [
          Dependency(author: AuthorNumber(1), sequence: .first, hash: head.hash)
        ],
        declarations: [.author(author)] + declarations, data: [delete]),
      after: .origin(of: other), at: 1)
    var late = cause[0]
    late.position = LogPosition(2)
    #expect(Checker.log(0, [effect, late]).map(\.kind) == [.log])
  }

  @Test func `equal vectors with different exports are found`() {
    let one = state(node: 0, export: "{\"id\":1}\n")
    let two = state(node: 1, export: "{\"id\":2}\n")
    #expect(Checker.divergence(among: [one, one]) == [])
    #expect(Checker.divergence(among: [one, two]).map(\.kind) == [.divergence])
  }

  @Test func `a transaction that returned and is not there is found`() {
    var vector = VersionVector()
    vector[author] = SequenceNumber(2)
    let state = state(node: 0, export: "")
    #expect(Checker.durability(state, VersionVector(), promised: VersionVector()) == [])
    #expect(
      Checker.durability(state, vector, promised: vector).map(\.kind)
        == [.durability, .durability])
    #expect(Checker.completeness(state, vector).map(\.kind) == [.durability])
  }

  @Test func `what a file finds wrong with itself is passed on`() {
    #expect(Checker.integrity(0, ["row 1 has no entry"]).map(\.kind) == [.integrity])
  }

  @Test func `a commit that an observer missed, or heard of twice, is found`() {
    let observer = CommitObserver()
    let commits = (1...3).map { number in
      Commit(number: CommitNumber(number), origin: .remote, changes: [], heads: [])
    }
    observer.record(commits[0])
    #expect(observer.problems == [])
    observer.record(commits[2])
    #expect(observer.problems.count == 1)
    observer.record(commits[2])
    #expect(observer.problems.count == 2)
    let found = Checker.observation(
      0, observer.problems, seen: VersionVector(), stored: VersionVector())
    #expect(found.map(\.kind) == [.observation, .observation])
  }

  @Test func `an observer that heard of less than is held is found`() {
    var vector = VersionVector()
    vector[author] = SequenceNumber(2)
    #expect(Checker.observation(0, [], seen: vector, stored: vector) == [])
    #expect(
      Checker.observation(0, [], seen: VersionVector(), stored: vector).map(\.kind)
        == [.observation])
  }

  @Test func `more than three times what was missing is found, and less is not`() {
    var report = SimulationReport(seed: 1, nodes: 3, topology: "line", command: "")
    report.missingBytes = 1000
    report.links = 2
    report.recoveryBytes = 3 * 1000 + 2 * 256
    #expect(Checker.economy(report) == [])
    report.recoveryBytes += 1
    #expect(Checker.economy(report).map(\.kind) == [.liveness])
  }

  @Test func `money that was made or lost is found`() {
    #expect(Checker.conservation(0, sum: 300, expected: 300) == [])
    #expect(Checker.conservation(0, sum: 299, expected: 300).map(\.kind) == [.observation])
  }

  private let declarations = [
    Declaration.class(ClassDeclaration(name: "A", isEmbedded: false, keyType: .int))
  ]

  private let delete = DataOperation.delete(
    ObjectReference(class: ClassNumber(0), key: .int(1), generation: Generation(2)))

  private func log(_ sequences: ClosedRange<UInt64>) -> [LogEntry] {
    var hash = ChainHash.origin(of: author)
    return sequences.map { number in
      let changeset = Changeset(
        author: author, sequence: SequenceNumber(number), time: HybridTime(milliseconds: number),
        declarations: number == 1 ? declarations : [], data: [delete])
      let entry = entry(changeset, after: hash, at: Int64(number))
      hash = entry.id.hash
      return entry
    }
  }

  private func entry(
    _ changeset: Changeset, after hash: ChainHash, at position: Int64
  ) -> LogEntry {
    let bytes = changeset.encoded()
    let id = ChangesetID(
      author: changeset.author, sequence: changeset.sequence, hash: hash.following(bytes))
    return LogEntry(position: LogPosition(position), id: id, bytes: bytes)
  }

  private func state(node: Int, export: String) -> ReplicaState {
    ReplicaState(
      node: node, vector: VersionVector(), stored: VersionVector(), heads: [],
      digest: .origin(of: author),
      stateDigest: .zero, export: export)
  }
}
