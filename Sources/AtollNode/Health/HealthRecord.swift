import AtollPresence

/// The conditions of one store as they were last assessed; tells which of them begin and end.
struct HealthRecord {
  private(set) var conditions: [HealthCondition] = []

  /// Replaces the conditions; one goes on as long as its kind is found.
  ///
  /// - Returns: The conditions that begin, and those that end.
  mutating func update(
    _ found: [HealthCondition]
  ) -> (began: [HealthCondition], ended: [HealthCondition]) {
    let before = conditions
    conditions = found
    return (
      found.filter { condition in !before.contains { $0.kind == condition.kind } },
      before.filter { condition in !found.contains { $0.kind == condition.kind } }
    )
  }
}
