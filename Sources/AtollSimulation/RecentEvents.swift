import AtollVocabulary

/// The last events of a run, made into text only if they are asked for.
struct RecentEvents {
  private var events: [(Instant, World.Occurrence)] = []
  private var next = 0

  private static let bound = 200
  private static let lineLength = 300

  mutating func add(_ occurrence: World.Occurrence, at instant: Instant) {
    if events.count < Self.bound {
      events.append((instant, occurrence))
    } else {
      events[next] = (instant, occurrence)
    }
    next = (next + 1) % Self.bound
  }

  /// Earliest first.
  var lines: [String] {
    let inOrder = events.count < Self.bound ? events[...] : events[next...] + events[..<next]
    return inOrder.map { instant, occurrence in
      let text = "\(instant.nanoseconds / 1000) µs: \(Self.text(occurrence))"
      return text.count > Self.lineLength ? text.prefix(Self.lineLength) + "…" : text
    }
  }

  private static func text(_ occurrence: World.Occurrence) -> String {
    guard case .arrival(let connection, let end, let piece) = occurrence else {
      return "\(occurrence)"
    }
    let text = piece.frame.map { "\($0)" } ?? "\(piece.bytes.count) bytes of a frame"
    return "arrival(connection: \(connection), end: \(end), \(text))"
  }
}
