import AtollChanges
import AtollVocabulary

/// The reserved class of replicas, as a file has it (`protocol/names.md`).
struct MemberClass {
  static let name = ReplicaClass.name
  static let schema = ClassSchema(
    name: name, primaryKey: "id",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "identity", type: .data), PropertySchema(name: "role", type: .string),
      PropertySchema(name: "retired", type: .bool),
      PropertySchema(name: "lives", type: .string, collection: .map),
    ])

  /// The state of one incarnation, under its sixteen digits.
  enum IncarnationState: String {
    case alive
    case ended
  }

  let stored: StoredClass
  let name: StoredProperty?
  let identity: StoredProperty?
  let role: StoredProperty?
  let retired: StoredProperty?
  let lives: StoredProperty?

  /// Nil for another class.
  init?(_ stored: StoredClass) {
    guard stored.name == Self.name, stored.keyType == .string, !stored.isEmbedded else {
      return nil
    }
    self.stored = stored
    name = stored.property(named: "name", type: .string, collection: .none)
    identity = stored.property(named: "identity", type: .data, collection: .none)
    role = stored.property(named: "role", type: .string, collection: .none)
    retired = stored.property(named: "retired", type: .bool, collection: .none)
    lives = stored.property(named: "lives", type: .string, collection: .map)
  }

  /// A scalar of a row; nil where it was not said.
  func value(_ property: KeyPath<MemberClass, StoredProperty?>, of row: ObjectRow)
    -> PersistedValue?
  {
    guard let property = self[keyPath: property], let column = stored.column([property]),
      row.columns.indices.contains(column), !row.columns[column].isNull
    else { return nil }
    return row.columns[column]
  }
}
