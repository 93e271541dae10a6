import AtollChanges
import AtollLog
import AtollVocabulary

/// An owner's word about a replica, as the first and only changeset of an incarnation of that owner.
///
/// It depends on what it names, and on nothing else that is here: that may be of replicas of which others take
/// nothing, or what the word is to take back.
struct OwnersWord {
  let said: OwnersClass
  let replica: ReplicaID

  /// True if an author has written nothing else, and never will.
  static func isAll(of record: AuthorRecord) -> Bool {
    record.sequence == .first
      && record.declarations.classes.map(\.name) == [OwnersClass.removal.name]
  }

  /// The applied head of who made a replica an owner; nil for the founder, and for who is none.
  static func cause(
    of owner: ReplicaID, in file: StoreFile
  ) throws(StorageError) -> ChangesetID? {
    try file.doing("reading who made an owner") {
      try file.snapshot {
        guard let maker = try file.admissionBook.author(of: .admission(.owner), on: owner),
          var head = file.authors[maker]?.head
        else { return nil }
        head.author = head.author.commonHistory
        return head
      }
    }
  }

  /// Makes the changeset and has the file apply it.
  ///
  /// - Parameters:
  ///   - file: The file of this replica, of which the owner may be another.
  ///   - key: The owner's.
  ///   - causes: What it depends on, each of another author or history.
  ///   - doing: What is being done, for messages.
  /// - Throws: `notYet` while the file's own time is ahead, so that others would not apply it; and if the file fails.
  func write(
    in file: StoreFile, by key: ReplicaKey, after causes: [ChangesetID], doing: String
  ) throws(StorageError) {
    if let ahead = try file.ownTimeAhead() {
      throw .notYet(
        path: file.path, doing: doing,
        detail: "the file's own time is \(ahead) too far ahead of this machine's clock",
        remedy: "Set the clock, or run `atoll clock repair` if that is right")
    }
    let author = Author(
      replica: key.replica, incarnation: Incarnation(file.options.random()))
    let object = ObjectReference(
      class: ClassNumber(0), key: .string("\(replica)"), generation: .first)
    let bytes = Changeset(
      author: author, sequence: .first, time: try file.nextTime(),
      dependencies: causes.enumerated().map { index, cause in
        Dependency(
          author: AuthorNumber(UInt32(truncatingIfNeeded: index + 1)), sequence: cause.sequence,
          hash: cause.hash)
      },
      declarations: causes.map { .author($0.author) } + [
        .class(ClassDeclaration(name: said.name, isEmbedded: false, keyType: .string))
      ],
      data: [.create(object, [])]
    ).encoded()
    let id = ChangesetID(
      author: author, sequence: .first, hash: ChainHash.origin(of: author).following(bytes))
    let outcomes = try file.apply([
      IncomingChangeset(
        author: author, sequence: .first, bytes: bytes, expectedHash: id.hash,
        seal: key.seal(id, in: file.storeID))
    ])
    guard case .applied? = outcomes.first else {
      throw .unexpected(detail: "an owner's word is not taken: \(outcomes)", doing: doing)
    }
  }
}
