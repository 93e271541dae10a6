import Atoll
import Foundation

enum ValuesKind: String, PersistableEnum, Codable {
  case asphalt, grass, gravel
}

enum ValuesLevel: Int8, PersistableEnum {
  case low = 1, high = 9, middle = 5
}

final class ValuesEnums: Object {
  @Persisted var kind: ValuesKind
  @Persisted var level: ValuesLevel
  @Persisted var optional: ValuesKind?
  @Persisted var explicit = ValuesKind.gravel
  @Persisted var list: List<ValuesKind>
  @Persisted var optionalList: List<ValuesKind?>
  @Persisted(indexed: true) var indexed: ValuesLevel
}

final class ValuesKeyed: Object {
  @Persisted(primaryKey: true) var kind: ValuesKind
  @Persisted var count: Int
}

final class ValuesDecimals: Object {
  @Persisted var amount: Decimal128
  @Persisted var optional: Decimal128?
  @Persisted var list: List<Decimal128>
  @Persisted var optionalList: List<Decimal128?>
  @Persisted var box: Box<Decimal128>
}
