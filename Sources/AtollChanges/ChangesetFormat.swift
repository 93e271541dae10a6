import AtollVocabulary

/// The constants of the byte format; `protocol/changeset.md` has the tables.
enum ChangesetFormat {
  /// The first byte of a changeset.
  static let version: UInt8 = 1
  /// The first byte of one whose transaction goes on in its author's next.
  static let continued: UInt8 = 2

  /// Low four bits of an operation's first byte.
  enum OperationTag: UInt8 {
    case create = 1
    case delete = 2
    case assign = 3
    case increment = 4
    case insert = 5
    case assignElement = 6
    case move = 7
    case remove = 8
    case clear = 9
    case insertMember = 10
    case removeMember = 11
    case assignEntry = 12
    case removeEntry = 13
    // 14 is ``ChangesetFormat/controlOperation``; 0 and 15 are reserved.
  }

  /// The first byte of a control operation, which is about changesets; it has no object and no flags.
  static let controlOperation: UInt8 = 14

  /// The second byte of a control operation.
  enum ControlTag: UInt8 {
    case release = 0
    case supersede = 1
  }

  /// High four bits of an operation's first byte.
  enum OperationFlag {
    /// Class, key and generation are those of the previous operation's object; nothing of it follows.
    static let sameObject: UInt8 = 0x10
    /// The class is that of the previous operation's object.
    static let sameClass: UInt8 = 0x20
    /// The generation is 2 for a delete, 1 for all others.
    static let usualGeneration: UInt8 = 0x40
    /// Steps into embedded objects, and into what any-typed slots hold, follow the object.
    static let hasSteps: UInt8 = 0x80
  }

  /// First byte of a declaration.
  enum DeclarationTag: UInt8 {
    case `class` = 1
    case embeddedClass = 2
    case property = 3
    case author = 4
    case branch = 5
    case keyedClass = 6
  }

  /// First byte of a path step.
  enum StepTag: UInt8 {
    case slot = 0
    case element = 1
    case entry = 2
    case nestedSlot = 3
    case nestedElement = 4
    case nestedEntry = 5

    /// True if the step is one into what an any-typed slot holds.
    var isNested: Bool { rawValue >= Self.nestedSlot.rawValue }
  }

  /// Steps of both kinds that one path can have.
  static let pathSteps = 2 * Limits.nestingDepth

  /// First byte of the base of a counter step.
  enum StepBaseTag: UInt8 {
    case `default` = 0
    case assignment = 1
  }

  /// First byte of an identity.
  enum IdentityTag: UInt8 {
    /// Of the changeset's own author: how many changesets ago, and an index.
    case own = 0
    /// Of any other: the author whole, a sequence number, an index.
    case foreign = 1
    /// Of a history of any other author that has several.
    case branch = 2
  }

  /// The tag of nil; other values have the raw value of their ``PersistedType``.
  static let nullTag: UInt8 = 0
  /// The tag of a new list or map, which only an any-typed slot holds; its kind follows.
  static let collectionTag = PersistedType.any.rawValue
  /// Set in the tag of a created field that was assigned rather than left at its default.
  static let assignedFlag: UInt8 = 0x80

  /// The generation that ``OperationFlag/usualGeneration`` stands for.
  static func usualGeneration(of tag: OperationTag) -> Generation {
    tag == .delete ? Generation(2) : .first
  }
}

/// The author of a value's changeset, so that the author's own identities can be short.
struct ValueContext: Sendable {
  var author: Author
  var sequence: SequenceNumber
}

extension PersistedType {
  /// True if a property of this type names a class.
  var hasTarget: Bool { self == .link || self == .embedded }

  /// True if objects of a class can be told apart by values of this type.
  ///
  /// Decimals cannot: one number has several of them.
  var isKey: Bool {
    switch self {
    case .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .identity: true
    case .decimal, .link, .embedded, .any: false
    }
  }
}
