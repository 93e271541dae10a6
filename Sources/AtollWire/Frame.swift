package import AtollChanges
package import AtollVocabulary

/// Everything that passes over a link, as values; `protocol/frames.md` has the bytes.
package enum Frame: Hashable, Sendable {
  /// The first frame of either side.
  case hello(Hello)
  /// The last frame of a side that gives the link up.
  case goodbye(Goodbye)
  /// Changesets, whole, in the sender's log order.
  case changesets([ChangesetRun])
  /// A part of a changeset too large for one frame.
  case chunk(ChangesetChunk)
  /// The received part of a chunked changeset.
  case chunkReceipt(ChunkReceipt)
  /// The changesets that the sender has stored and applied since its last one.
  case progress(Holdings)
  /// "Forget what you sent me: send everything after this."
  ///
  /// An author whose number is ``SequenceNumber/max`` is to be left out until asked for again.
  case request(VersionVector)
  /// Everything the sender holds; proof of life where there is nothing else to say.
  case keepAlive(Holdings)
  /// The digest of the sender's objects, and its frontier.
  case digest(FrontierDigest)
  /// "Others send me the same: tell me of it, and send it when I ask."
  case prune
  /// The known holdings of others.
  case acknowledgements(Acknowledgements)
  /// A question for the objects that differ. It comes instead of a hello, on a link of its own.
  /// Instead of a hello, on a link of its own.
  case question(DigestQuestion)
  /// The sender's digests at the places of a question.
  case answer(DigestAnswer)
  /// "I was given the code": the only frame of a node that connects for pairing.
  case pair(PairingProof)
  /// "So you were": the other is in the roster from now on, for this store.
  case paired(StoreID)
  /// "I take nothing that this author writes", and why; the link goes on.
  case declined(Author, reason: String)
  /// A snapshot, where the log is cut or would take longer.
  case snapshotOffer(SnapshotOffer)
  /// Leave to send pages of what was offered.
  case snapshotRequest(SnapshotRequest)
  /// "Offer me a snapshot that has all of this applied, whatever I have."
  case snapshotWanted(VersionVector)
  /// A page of what was offered.
  case snapshotPage(SnapshotPage)
  /// "Send me what the snapshot was made of."
  case backfillRequest(BackfillRequest)
  /// Changesets that the receiver has as a snapshot only.
  case backfill(Backfill)
  /// "So much may be on its way to me": until it is said again.
  case credit(Credit)
  /// Expedited changesets, which pass those sent before them: the receiver has all that they depend on.
  case expedited([ChangesetRun])
  /// The time of the sender's clock.
  case clock(ClockReading)
  /// The first frame of a process on the store's local socket.
  case localHello(LocalHello)
  /// "The file has a new commit", on the store's local socket.
  case committed(number: UInt64)
}

extension Frame {
  /// The number of a frame's kind in its header.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case hello = 1
    case goodbye = 2
    case changesets = 3
    case chunk = 4
    case chunkReceipt = 5
    case progress = 6
    case request = 7
    case keepAlive = 8
    case digest = 9
    case question = 10
    case answer = 11
    case prune = 12
    case pair = 20
    case paired = 21
    case declined = 22
    case acknowledgements = 30
    case snapshotOffer = 40
    case snapshotRequest = 41
    case snapshotPage = 42
    case backfillRequest = 43
    case backfill = 44
    case snapshotWanted = 45
    case credit = 50
    case expedited = 51
    case clock = 52
    case localHello = 0x40
    case committed = 0x41
  }

  package var kind: Kind {
    switch self {
    case .hello: .hello
    case .goodbye: .goodbye
    case .changesets: .changesets
    case .chunk: .chunk
    case .chunkReceipt: .chunkReceipt
    case .progress: .progress
    case .request: .request
    case .keepAlive: .keepAlive
    case .digest: .digest
    case .question: .question
    case .answer: .answer
    case .prune: .prune
    case .pair: .pair
    case .paired: .paired
    case .declined: .declined
    case .acknowledgements: .acknowledgements
    case .snapshotOffer: .snapshotOffer
    case .snapshotRequest: .snapshotRequest
    case .snapshotPage: .snapshotPage
    case .snapshotWanted: .snapshotWanted
    case .backfillRequest: .backfillRequest
    case .backfill: .backfill
    case .credit: .credit
    case .expedited: .expedited
    case .clock: .clock
    case .localHello: .localHello
    case .committed: .committed
    }
  }
}
