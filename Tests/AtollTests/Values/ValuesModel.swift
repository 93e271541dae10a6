import Atoll
import Foundation

enum ValuesKind: String, PersistableEnum, Codable {
  case asphalt, grass, gravel
}

enum ValuesLevel: Int8, PersistableEnum {
  case low = 1, high = 9, middle = 5
}

final class ValuesEnums: Object {
  @Persisted(.either) var kind: ValuesKind
  @Persisted(.either) var level: ValuesLevel
  @Persisted(.either) var optional: ValuesKind?
  @Persisted var explicit = ValuesKind.gravel
  @Persisted(.either) var list: List<ValuesKind>
  @Persisted(.either) var optionalList: List<ValuesKind?>
  @Persisted(indexed: .either) var indexed: ValuesLevel
}

final class ValuesKeyed: Object {
  @Persisted(primaryKey: .either) var kind: ValuesKind
  @Persisted(.either) var count: Int
}

final class ValuesDecimals: Object {
  @Persisted(.either) var amount: Decimal128
  @Persisted(.either) var optional: Decimal128?
  @Persisted(.either) var list: List<Decimal128>
  @Persisted(.either) var optionalList: List<Decimal128?>
  @Persisted(.either) var box: Box<Decimal128>
}
