import AtollChanges
import AtollLog
import AtollVocabulary

/// The removals that the log has, and what they leave out; see `Ownership.swift`.
///
/// Each author of a removed replica has a last changeset that counts. It is found once, when the removal is
/// applied, and kept: what comes later of the replica is not in the removal's past.
struct RemovalBook {
  let admissions: AdmissionBook
  let log: ChangesetLog

  /// Carries out what an owner says of a replica.
  ///
  /// - Parameters:
  ///   - word: The replica, and what is said.
  ///   - cause: The changeset that says it.
  ///   - past: The last changeset of an author that the owner had applied.
  /// - Returns: True if something that was applied counts no more, or counts now.
  /// - Throws: If the file fails.
  func carryOut(
    _ word: (replica: ReplicaID, said: OwnersClass), _ cause: AuthorRecord.Cause,
    past: (AuthorRecord) -> SequenceNumber
  ) throws -> Bool {
    let records = records(of: word.replica)
    var isChanged = false
    switch word.said {
    case .admission(.writer), .request: break
    case .admission(.owner):
      for record in records where try log.takeBackRemoval(of: record) { isChanged = true }
    case .removal:
      guard try admissions.admission(of: word.replica) != .owner else { break }
      for record in records {
        let last = max(past(record), record.first.previous)
        if try log.remove(record, after: last, by: cause) { isChanged = true }
      }
      for record in records where try log.takeBackSuperseded(by: record) { isChanged = true }
    }
    return isChanged
  }

  /// Leaves out the rest of an author from one of its changesets on, if an owner has removed its replica.
  ///
  /// - Parameters:
  ///   - record: The author.
  ///   - sequence: A changeset that has come after the removal.
  /// - Throws: If the file fails.
  func leaveOut(_ record: AuthorRecord, from sequence: SequenceNumber) throws {
    guard record.removal == nil, try admissions.isRemoved(record.author.replica) else { return }
    let cause = try cause(ofRemoving: record.author.replica)
    _ = try log.remove(record, after: sequence.previous, by: cause)
  }

  /// The changeset that removed a replica, as the time of its object says where no author of the replica was known.
  private func cause(ofRemoving replica: ReplicaID) throws -> AuthorRecord.Cause {
    if let known = records(of: replica).lazy.compactMap(\.removal).first { return known.cause }
    guard let stamp = try admissions.stamp(of: .removal, on: replica),
      let writer = log.authors[stamp.author],
      let sequence = try log.sequence(of: writer, at: stamp.time)
    else { return .inCheckpoint }
    return AuthorRecord.Cause(writer: writer.number, sequence: sequence)
  }

  /// Leaves out those authors of removed replicas that either the checkpoint or the removing owner did not know.
  ///
  /// With a removal in the checkpoint all authors that it has are marked. One that it has without a mark was not known here
  /// when the removal was applied: all of it counts for nothing, and the checkpoint is refused for it.
  ///
  /// - Returns: True if any of that was applied.
  func leaveOutUnknown() throws -> Bool {
    var isChanged = false
    for record in log.authors.records where record.removal == nil {
      try leaveOut(record, from: record.first)
      if record.removal != nil, record.hasApplied { isChanged = true }
    }
    return isChanged
  }

  /// Has everything count of those whom another owner has made an owner.
  ///
  /// - Returns: True if something that is applied did not count.
  func takeBackThoseOfOwners() throws -> Bool {
    var isChanged = false
    for record in log.authors.records where record.removal != nil {
      if try admissions.admission(of: record.author.replica) == .owner,
        try log.takeBackRemoval(of: record)
      {
        isChanged = true
      }
    }
    return isChanged
  }

  /// Tells if an owner's word would change what the checkpoint has.
  ///
  /// - Parameters:
  ///   - word: The replica, and what is said.
  ///   - owner: Who says it.
  ///   - past: The last changeset of an author that the owner had applied.
  /// - Returns: False for who is no owner, which is refused elsewhere.
  /// - Throws: If the file fails.
  func contradictsCheckpoint(
    _ word: (replica: ReplicaID, said: OwnersClass), by owner: ReplicaID,
    past: (AuthorRecord) -> SequenceNumber
  ) throws -> Bool {
    guard word.said != .admission(.writer), word.said != .request,
      try admissions.admission(of: owner) == .owner,
      try admissions.admission(of: word.replica) != .owner
    else { return false }
    return records(of: word.replica).contains { record in
      guard let checkpoint = record.checkpoint?.sequence else { return false }
      // As far as it counts in the checkpoint.
      let counted = min(checkpoint, record.removal?.last ?? checkpoint)
      return word.said == .removal
        ? counted > max(past(record), record.first.previous) : counted < checkpoint
    }
  }

  private func records(of replica: ReplicaID) -> [AuthorRecord] {
    log.authors.records.filter { $0.author.replica == replica }
  }
}
