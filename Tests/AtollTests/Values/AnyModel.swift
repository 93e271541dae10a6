import Atoll

final class AnyHolder: Object {
  @Persisted(.either) var value: AnyValue
  @Persisted var explicit: AnyValue = 7
  @Persisted(.either) var list: List<AnyValue>
  @Persisted(.either) var set: MutableSet<AnyValue>
  @Persisted(.either) var map: Map<String, AnyValue>
}

final class AnyOptional: Object {
  @Persisted(.either) var value: AnyValue?
}

final class CodableCollections: Object, Codable {
  @Persisted(.either) var list: List<Int>
  @Persisted(.either) var optionals: List<String?>
  @Persisted(.either) var set: MutableSet<ValuesKind>
  @Persisted(.either) var map: Map<String, Int>
  @Persisted(.either) var value: AnyValue
}
