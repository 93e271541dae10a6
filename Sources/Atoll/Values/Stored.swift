package import AtollVocabulary

/// A value on its way between a property and the file, no longer of the application's type.
public struct _Stored {
  package enum Content {
    case scalar(PersistedValue)
    /// A link, or an embedded object.
    case object(ObjectBase)
    /// A list in an any-typed value.
    case list([_Stored])
    /// A map in an any-typed value.
    case map([_StoredEntry])
  }

  private enum Storage {
    case content(Content)
    case handle(CollectionBase)
  }

  private var storage: Storage

  /// The value; of a list or map in an any-typed value what it holds now.
  package var content: Content {
    get {
      switch storage {
      case .content(let content): content
      case .handle(let handle): handle.nestedContent
      }
    }
    set { storage = .content(newValue) }
  }

  package init(_ content: Content) { storage = .content(content) }
  package init(_ value: PersistedValue) { storage = .content(.scalar(value)) }
  package init(_ object: ObjectBase) { storage = .content(.object(object)) }

  /// A list or map in an any-typed value, by its handle, so that every reader gets the same one.
  init(_ handle: CollectionBase) { storage = .handle(handle) }

  /// The handle of a list or map in an any-typed value; nil if there is none yet.
  var handle: CollectionBase? {
    if case .handle(let handle) = storage { handle } else { nil }
  }

  package static var null: _Stored { _Stored(PersistedValue.null) }

  package var scalar: PersistedValue? {
    // Without making a copy of the content.
    if case .content(.scalar(let value)) = storage { value } else { nil }
  }

  package var object: ObjectBase? {
    if case .object(let object) = content { object } else { nil }
  }

  package var isNull: Bool { scalar?.isNull ?? false }
}

/// An entry of a map on its way between a property and the file.
public struct _StoredEntry {
  package var key: String
  package var value: _Stored

  package init(key: String, value: _Stored) {
    self.key = key
    self.value = value
  }
}

extension _Stored: CustomStringConvertible {
  /// The value alone, strings without quotes, as messages quote it.
  public var description: String {
    switch content {
    case .scalar(.string(let text)): text
    case .scalar(let value): value.description
    case .object(let object): object.description
    case .list(let elements): "\(elements)"
    case .map(let entries): "[\(entries.map { "\($0.key): \($0.value)" }.joined(separator: ", "))]"
    }
  }
}

extension _Stored {
  /// Hashes a scalar as it is stored, and an embedded object member by member.
  func hashContents(into hasher: inout Hasher) {
    switch content {
    case .scalar(let value): hasher.combine(value)
    case .object(let object as EmbeddedObject):
      for property in ModelClass.of(type(of: object)).properties {
        property.input(of: object).hashContents(into: &hasher)
      }
    case .object(let object): hasher.combine(object)
    case .list(let elements): for element in elements { element.hashContents(into: &hasher) }
    case .map(let entries): _PropertyInput(map: entries).hashContents(into: &hasher)
    }
  }

  /// Tells whether both hash the same contents, an embedded object by its members.
  func hasSameContents(as other: _Stored) -> Bool { contentHash == other.contentHash }

  /// A hash of the contents alone, for collections without an order.
  fileprivate var contentHash: Int {
    var hasher = Hasher()
    hashContents(into: &hasher)
    return hasher.finalize()
  }
}

extension _PropertyInput {
  fileprivate func hashContents(into hasher: inout Hasher) {
    switch content {
    case .single(let stored): stored.hashContents(into: &hasher)
    case .list(let elements): for element in elements { element.hashContents(into: &hasher) }
    case .set(let members): hasher.combine(members.reduce(0) { $0 ^ $1.contentHash })
    case .map(let entries):
      hasher.combine(entries.reduce(0) { $0 ^ ($1.key.hashValue &* 31 &+ $1.value.contentHash) })
    }
  }
}

/// The type of a property or element in persisted terms.
public struct _PropertyType {
  package var type: PersistedType
  package var isOptional = false
  package var collection = CollectionKind.none
  /// The class linked to or embedded.
  package var target: ObjectBase.Type?
  /// True if the application's own type is mapped to the persisted one.
  package var isMapped = false

  package init(_ type: PersistedType, target: ObjectBase.Type? = nil) {
    self.type = type
    self.target = target
  }
}
