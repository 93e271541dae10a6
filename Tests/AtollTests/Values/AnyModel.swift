import Atoll

final class AnyHolder: Object {
  @Persisted var value: AnyValue
  @Persisted var explicit: AnyValue = 7
  @Persisted var list: List<AnyValue>
  @Persisted var set: MutableSet<AnyValue>
  @Persisted var map: Map<String, AnyValue>
}

final class AnyOptional: Object {
  @Persisted var value: AnyValue?
}

final class CodableCollections: Object, Codable {
  @Persisted var list: List<Int>
  @Persisted var optionals: List<String?>
  @Persisted var set: MutableSet<ValuesKind>
  @Persisted var map: Map<String, Int>
  @Persisted var value: AnyValue
}
