import AtollChanges
import AtollStorage
import AtollVocabulary
import AtollWire

// A malicious member: node 0 has a place on the way of what others wrote, and keys of its own. Now and then it
// passes on something else than what came. Everybody it sends that to has to refuse it, and all become equal once it
// has come to its senses.
extension World {
  /// The frame, or what the malicious member makes of it.
  func forged(_ frame: Frame, by node: Int) -> Frame {
    guard simulation.hasForger, node == 0, !isCalm, let own = nodes[0].file?.author.replica else {
      return frame
    }
    switch frame {
    case .changesets(let runs) where chance(percent: 50):
      return .changesets(forged(runs, own))
    case .expedited(let runs) where chance(percent: 50): return .expedited(forged(runs, own))
    case .chunk(let chunk) where chunk.id.author.replica != own && chance(percent: 50):
      return .chunk(forged(chunk))
    default: return frame
    }
  }

  /// Puts an honest node in the malicious one's place, on links of its own: on the former ones nothing more is
  /// taken of authors of whom it has shown what cannot be.
  func replaceForger() {
    for place in network.connections.indices {
      guard network.connections[place].ends.contains(where: { $0.node == 0 && $0.isOpen }) else {
        continue
      }
      for end in 0..<2 {
        schedule.add(.closing(connection: place, end: end), at: now.advanced(by: delay()))
      }
    }
  }

  private func forged(_ chunk: ChangesetChunk) -> ChangesetChunk {
    var chunk = chunk
    report.forgeries += 1
    if chance(percent: 50) {
      chunk.bytes[chunk.bytes.count - 1] ^= 1
    } else {
      chunk.seal = drawnKey().seal(chunk.id, in: nodes[0].storeID)
    }
    return chunk
  }

  private func forged(_ runs: [ChangesetRun], _ own: ReplicaID) -> [ChangesetRun] {
    var runs = runs
    let place = Int.random(in: runs.indices, using: &random)
    // Its own changesets it may write as it likes.
    guard runs[place].author.replica != own else { return runs }
    report.forgeries += 1
    runs[place] = forged(runs[place])
    return runs
  }

  private func forged(_ run: ChangesetRun) -> ChangesetRun {
    var run = run
    let key = drawnKey()
    let index = Int.random(in: run.changesets.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    // Another changeset, and all that follows from it but the author's key.
    case 0:
      alter(&run, at: index)
      run.seal = key.seal(head(of: run), in: nodes[0].storeID)
    // The same, with the seal that came.
    case 1: alter(&run, at: index)
    case 2: run.changesets[index][run.changesets[index].count - 1] ^= 1
    case 3 where run.changesets.count > 1: run.changesets.remove(at: index)
    case 4: run.seal = key.seal(head(of: run), in: nodes[0].storeID)
    // Of another author, with the seal of that one.
    default:
      run.author.replica = key.replica
      run.seal = key.seal(head(of: run), in: nodes[0].storeID)
    }
    return run
  }

  private func drawnKey() -> ReplicaKey { ReplicaKey(random: { random.next() }) }

  private func head(of run: ChangesetRun) -> ChangesetID {
    ChangesetID(author: run.author, sequence: run.last, hash: run.headHash)
  }

  /// Alters a changeset and the hash that the run has then, where the one before is known.
  private func alter(_ run: inout ChangesetRun, at index: Int) {
    guard let before = hash(before: run.first, of: run.author),
      var changeset = try? Changeset(decoding: run.changesets[index], author: run.author)
    else {
      run.changesets[index][run.changesets[index].count - 1] ^= 1
      return
    }
    changeset.time = HybridTime(milliseconds: changeset.time.milliseconds + 1)
    run.changesets[index] = changeset.encoded()
    run.headHash = run.changesets.reduce(before) { $0.following($1) }
  }

  /// The chain hash before a changeset, as the member's own file has it.
  private func hash(before sequence: SequenceNumber, of author: Author) -> ChainHash? {
    guard sequence > .first else { return .origin(of: author) }
    guard let file = nodes[0].file, let holdings = try? file.holdings() else { return nil }
    var vector = VersionVector()
    for head in holdings.heads { vector[head.author] = .max }
    vector[author] = SequenceNumber(sequence.rawValue - 2)
    let batch = try? file.entries(lackedBy: vector, after: .start, limitBytes: 1)
    return batch?.entries.first { $0.id.sequence.next == sequence }?.id.hash
  }
}
