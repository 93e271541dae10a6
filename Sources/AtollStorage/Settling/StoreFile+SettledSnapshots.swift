import AtollChanges
import AtollVocabulary

// What a snapshot says of settlements: they hold for what comes after it.
extension StoreFile {
  /// Takes over what was settled; what comes late of the snapshot's changesets is told with it, of others it
  /// is found when objects are made anew.
  func adopt(_ settlement: SnapshotHead.Settlement, of head: SnapshotHead) throws {
    let writer = head.authors[Int(settlement.author)]
    guard settlement.sequence > .none, settlement.sequence <= writer.sequence,
      let record = authors[writer.author]
    else { throw SnapshotRefusal(reason: "a settlement that it does not have") }
    let known = authors.settlement(record.number, settlement.sequence)
    let adopted = known ?? Settlement(writer: record.number, sequence: settlement.sequence)
    for settled in settlement.authors {
      let described = head.authors[Int(settled.author)]
      guard let author = authors[described.author] else { continue }
      if let late = settled.late, late.upperBound > described.sequence {
        throw SnapshotRefusal(reason: "late changesets that it does not have")
      }
      var entry = adopted[author.number]
      if known == nil {
        (entry.settled, entry.past) = (settled.settled, settled.past)
        entry.isHeard = settled.isHeard
      }
      if let late = settled.late {
        entry.late =
          entry.late.map {
            min($0.lowerBound, late.lowerBound)...max($0.upperBound, late.upperBound)
          } ?? late
      }
      guard entry != adopted[author.number] else { continue }
      adopted[author.number] = entry
      if known != nil { try authors.store(adopted, author.number) }
    }
    if known == nil { try authors.store(adopted) }
  }

  /// What is settled here and not in a snapshot must not make anything late that only comes with it: as
  /// cells it counts, and could not be taken back.
  func checkSettlements(_ head: SnapshotHead) throws {
    let theirs = head.settlements.map { (head.authors[Int($0.author)].author, $0.sequence) }
    for settlement in authors.settlements {
      guard let settler = authors[settlement.writer],
        !theirs.contains(where: { $0 == (settler.author, settlement.sequence) })
      else { continue }
      for writer in head.authors where writer.author != settler.author {
        let record = authors[writer.author]
        let entry = record.map { settlement[$0.number] } ?? Settlement.Entry()
        let known = record?.sequence ?? .none
        guard writer.hasApplied, !entry.isHeard, writer.sequence > max(entry.past, known) else {
          continue
        }
        throw SnapshotRefusal(
          reason: "it has changesets of \(writer.author) that may come late by what "
            + "\(settler.author) has settled, which it does not know")
      }
    }
  }

  /// Before a snapshot is installed: what of this file's own was over already, if it comes late by it.
  func noteOver(_ head: SnapshotHead, _ tail: ClosedRange<SequenceNumber>?) throws {
    let own = try own
    guard let number = head.authors.firstIndex(where: { $0.author == own.author }) else {
      if let tail { noteOver(try lostLives(in: tail), of: own) }
      return
    }
    var known = try tail.map(lostLives) ?? [:]
    for settlement in head.settlements {
      guard let late = settlement.authors.first(where: { Int($0.author) == number })?.late,
        late.upperBound <= own.sequence
      else { continue }
      known.merge(try lostLives(of: own, in: late)) { first, _ in first }
    }
    noteOver(known, of: own)
  }
}
