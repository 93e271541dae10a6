package import AtollChanges
package import AtollVocabulary

/// The peer's author and store, and its holdings.
package struct Hello: Hashable, Sendable {
  /// Every protocol version the sender speaks.
  package var versions: ClosedRange<UInt8>
  package var storeID: StoreID
  package var author: Author
  /// Program and release, for people; never decided upon.
  package var agent: String
  /// True if the receiver is to send what the sender lacks without being asked: nobody else does.
  package var isEagerWanted: Bool
  package var holdings: Holdings

  package init(
    versions: ClosedRange<UInt8> = ProtocolVersion.supported, storeID: StoreID, author: Author,
    agent: String, isEagerWanted: Bool = true, holdings: Holdings
  ) {
    self.versions = versions
    self.storeID = storeID
    self.author = author
    self.agent = agent
    self.isEagerWanted = isEagerWanted
    self.holdings = holdings
  }
}

/// The versions of `protocol/` that this build speaks.
package enum ProtocolVersion {
  package static let supported: ClosedRange<UInt8> = 3...3
}

/// The process at the other end of a store's local socket.
package struct LocalHello: Hashable, Sendable {
  package var processID: Int32
  /// The process's name, for people.
  package var name: String

  package init(processID: Int32, name: String) {
    self.processID = processID
    self.name = name
  }
}
