import AtollLog
package import AtollVocabulary

/// The replicas that owners of a store are asked to admit; see `Ownership.swift`.
///
/// A replica that is not admitted cannot ask, for nobody keeps what it writes. A member asks that lets its node write.
package struct AdmissionRequests {
  private let file: StoreFile

  package init(of file: StoreFile) { self.file = file }

  /// A replica that waits for its admission.
  package struct Request: Hashable, Sendable {
    package let replica: ReplicaID
    /// The member that asks; nil if it is not known any more.
    package let asker: ReplicaID?
  }

  /// Those that wait, ascending; none where the store has no owners.
  ///
  /// - Throws: If the file cannot be read.
  package func pending() throws(StorageError) -> [Request] {
    try reading { book in
      try book.replicas(.request).sorted().filter { try isUndecided($0, book) }.map { replica in
        Request(replica: replica, asker: try book.author(of: .request, on: replica)?.replica)
      }
    } ?? []
  }

  /// Tells if a replica waits for its admission.
  ///
  /// - Throws: If the file cannot be read.
  package func isPending(_ replica: ReplicaID) throws(StorageError) -> Bool {
    try reading { book in
      try isUndecided(replica, book) && book.stamp(of: .request, on: replica) != nil
    } ?? false
  }

  /// Asks for the admission of a replica, in a changeset of its own.
  ///
  /// - Returns: False if there was nothing to ask: it is admitted, or removed, or was asked for; the store has no owners;
  ///   or nobody would keep the request, as this replica is not admitted itself, or is removed.
  /// - Throws: As any write.
  @discardableResult
  package func ask(for replica: ReplicaID) throws(StorageError) -> Bool {
    let isNeeded = try reading { book in
      let own = file.author.replica
      guard try book.admission(of: own) != nil, try !book.isRemoved(own) else { return false }
      return try isUndecided(replica, book) && book.stamp(of: .request, on: replica) == nil
    }
    guard isNeeded == true else { return false }
    return try file.say(.request, of: replica)
  }

  private func isUndecided(_ replica: ReplicaID, _ book: AdmissionBook) throws -> Bool {
    try book.admission(of: replica) == nil && !book.isRemoved(replica)
  }

  /// Reads on one snapshot; nil where the store has no owners.
  private func reading<Result>(
    _ body: (AdmissionBook) throws -> Result
  ) throws(StorageError) -> Result? {
    guard file.storeID.isOwned else { return nil }
    return try file.doing("reading who is to be admitted") {
      try file.snapshot { try body(file.admissionBook) }
    }
  }
}
