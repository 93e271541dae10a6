import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import AtollWire

// The beliefs of nodes about each other, which must be true at every moment: also of one that lost
// its power, and of one whose file was replaced and that started another incarnation. (A disk that
// was rolled back under a file that cannot tell has lost what it acknowledged; nobody can know.)

extension World {
  /// A node is linked and says that it exists, unless all know.
  func announceMember(_ number: Int) {
    attempt(number, "announcing itself") { node throws(StorageError) in
      if try node.announce() { try announce(node) }
    }
  }

  /// Checks the beliefs of `node` about others' incarnations, and about replicas as a whole.
  func checkBeliefs(of node: SimulatedNode) {
    checkBeliefs(node.engine?.known ?? [], of: node.number)
    attempt(node.number, "reading what others have") { node throws(StorageError) in
      guard let file = node.file else { return }
      let writers = try file.heads().map(\.author.commonHistory)
      let heard = Set(try file.peerProgress().map(\.progress.peer) + writers)
      for known in try file.knownHoldings() {
        let others = nodes.filter { $0.file?.author.replica == known.member.replica }
        // A copy and its original share an id, and nobody knows of an incarnation that has said nothing yet.
        guard let other = others.first, other.number != node.number,
          conditions.copied != other.number, conditions.nodeCount != other.number,
          let author = other.file?.author.commonHistory,
          heard.contains(author)
        else { continue }
        compare(node.number, stored: known.stored, applied: known.applied, with: other)
      }
    }
  }

  /// Checks what a node receives, or remembers, about others.
  func checkBeliefs(_ known: [PeerProgress], of number: Int) {
    for replica in known {
      guard let other = nodes.first(where: { $0.file?.author.commonHistory == replica.peer }) else {
        continue
      }
      let holdings = replica.holdings
      compare(number, stored: holdings.stored, applied: holdings.applied, with: other)
    }
  }

  private func compare(
    _ number: Int, stored: VersionVector, applied: VersionVector, with other: SimulatedNode
  ) {
    // Nobody can know better than a malicious member says.
    guard !simulation.rollsDisksBack, !(simulation.hasForger && other.number == 0) else { return }
    attempt(other.number, "reading what it holds") { other throws(StorageError) in
      let actual = try other.holdings()
      guard actual.stored.commonHistories.includes(stored.commonHistories),
        actual.applied.commonHistories.includes(applied.commonHistories)
      else {
        return violate(
          .belief,
          "node \(number) takes node \(other.number) to hold \(stored) and to have applied "
            + "\(applied); it holds \(actual.stored) and has applied \(actual.applied)")
      }
    }
  }

  /// Returns the frame of a sabotaged node about others.
  func exaggerated(_ frame: Frame, by node: Int) -> Frame {
    guard simulation.sabotage == .exaggeration, node == 0,
      case .acknowledgements(var known) = frame
    else { return frame }
    known.replicas = known.replicas.map { replica in
      let heads = replica.holdings.heads.map {
        ChangesetID(author: $0.author, sequence: $0.sequence.next, hash: $0.hash)
      }
      return PeerProgress(peer: replica.peer, holdings: Holdings(heads: heads))
    }
    return .acknowledgements(known)
  }
}
