import AtollVocabulary

/// The effect of a network on the bytes of one link.
enum LinkCondition: Hashable, Sendable {
  case healthy
  /// Every byte late, and few of them a second.
  case slow(delay: Duration, bytesPerSecond: Int)
  /// Nothing arrives and nobody is told: connections stay, and new ones are taken and not served.
  case silent
  /// Connections are broken, wherever they are in a frame, and new ones refused.
  case broken
}

/// A link of the cluster, by the numbers of its nodes, the one that dials first.
struct LinkName: Hashable, Sendable {
  let dialer: Int
  let listener: Int

  func touches(_ node: Int) -> Bool { dialer == node || listener == node }
}
