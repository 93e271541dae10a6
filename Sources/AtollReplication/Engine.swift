package import AtollVocabulary

/// Decides what to say to peers and what to ask of the file; see the room's essay.
///
/// Same state, event and instant give the same actions. Never throws, waits or reads a clock.
package struct Engine: Sendable {
  package let configuration: EngineConfiguration

  package init(_ configuration: EngineConfiguration) {
    self.configuration = configuration
  }

  /// Takes one event and answers with what to do, in order.
  package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    []
  }
}
