import AtollVocabulary
import Foundation

extension _Stored {
  /// The value in the type that stands for what is stored; every integer is an `Int` (rule 61).
  var dynamicValue: Any? {
    if let handle { return handle }
    switch content {
    case .scalar(let value): return value.dynamicValue
    case .object(let object): return object
    case .list(let elements): return elements.map(\.dynamicValue)
    case .map(let entries):
      return Dictionary(entries.map { ($0.key, $0.value.dynamicValue) }, uniquingKeysWith: { $1 })
    }
  }
}

extension PersistedValue {
  /// The value in the type that stands for what is stored; a hidden key is text.
  var dynamicValue: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let bytes): Data(bytes)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .uuid(let bytes): UUID(bytes)
    case .objectId(let value): value
    case .decimal(let value): value
    case .identity(let value): value.description
    }
  }
}
