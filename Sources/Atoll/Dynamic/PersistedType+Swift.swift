import AtollVocabulary
import Foundation

extension PersistedType {
  /// The Swift type of the dynamic interface for scalars; nil for objects.
  var builtin: (any _BuiltinPersistable.Type)? {
    switch self {
    case .bool: Bool.self
    case .int: Int.self
    case .float: Float.self
    case .double: Double.self
    case .string: String.self
    case .data: Data.self
    case .date: Date.self
    case .uuid: UUID.self
    case .objectId: ObjectId.self
    case .decimal: Decimal128.self
    case .any, .identity, .link, .embedded: nil
    }
  }

  /// The element type of the dynamic interface's collections.
  func element(isOptional: Bool) -> any _ListElement.Type {
    switch self {
    case .bool: isOptional ? Bool?.self : Bool.self
    case .int: isOptional ? Int?.self : Int.self
    case .float: isOptional ? Float?.self : Float.self
    case .double: isOptional ? Double?.self : Double.self
    case .string: isOptional ? String?.self : String.self
    case .data: isOptional ? Data?.self : Data.self
    case .date: isOptional ? Date?.self : Date.self
    case .uuid: isOptional ? UUID?.self : UUID.self
    case .objectId: isOptional ? ObjectId?.self : ObjectId.self
    case .decimal: isOptional ? Decimal128?.self : Decimal128.self
    case .any, .identity: AnyValue.self
    case .link, .embedded: isOptional ? DynamicObject?.self : DynamicObject.self
    }
  }
}
