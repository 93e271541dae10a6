package import AtollStorage
import AtollVocabulary
public import Foundation

extension Store {
  /// Why a store could not do what it was asked.
  ///
  /// The message says what was being done, what was found, what was expected, and what to do.
  public struct Error: Swift.Error, Hashable {
    /// Kinds of failures that a program treats differently.
    public enum Code: Hashable, Sendable {
      /// The file is something else, from a newer version, or damaged.
      case invalidFile
      /// There is no such file or folder.
      case fileNotFound
      /// There is something at the path of a file that is to be made.
      case fileExists
      /// The file or its folder may not be written, or the store was opened for reading or closed.
      case notWritable
      /// The disk has no room.
      case diskFull
      /// The file belongs to a store of another id.
      case otherStore
      /// Only an owner of the store may do it, and this replica is none, or the store has none.
      case notOwner
      /// An owner of the store has removed this replica: it writes no more.
      case removed
      /// Somebody else held the write lock for too long; the message names who.
      case locked
      /// More versions are in use than ``Store/Configuration/maximumNumberOfActiveVersions``; the message
      /// names who holds them.
      case tooManyVersions
      /// The version that something frozen shows was ended, because it kept the write-ahead log from
      /// being shortened; the message says since when and by whom it was kept.
      case versionEnded
      /// A class is declared otherwise than the file has it, or the file's schema version is higher.
      case schemaMismatch
      /// A migration block threw; the file is as it was.
      case migrationFailed
      /// An object of the class has the primary key already.
      case duplicatePrimaryKey
      /// An object was deleted, or another store manages it.
      case invalidObject
      /// A value does not fit the property, or a stored value does not convert.
      case invalidValue
      /// Something was to be changed outside of a write transaction.
      case notInTransaction
      /// The clock is so far from the store's time that nothing can be written with it.
      case wrongClock
      /// The system or SQLite refused for another reason, which the message names.
      case system
    }

    /// The kind of failure.
    public let code: Code
    /// The action, the finding, the expectation, and the remedy.
    public let message: String

    package init(_ code: Code, _ message: String) {
      self.code = code
      self.message = message
    }
  }
}

extension Store.Error: CustomStringConvertible, LocalizedError {
  public var description: String { message }
  public var errorDescription: String? { message }
}

extension Store.Error {
  package init(_ error: StorageError) {
    self.init(Code(error), "\(error)")
  }

  init(opening error: any Swift.Error) {
    if let error = error as? StorageError {
      self.init(error)
    } else {
      self.init(.system, "\(error)")
    }
  }
}

extension Store.Error.Code {
  fileprivate init(_ error: StorageError) {
    switch error {
    case .notADatabase, .notAStore, .otherFormat, .foreignObject, .damaged, .foreignLog, .replaced:
      self = .invalidFile
    case .noSuchFile, .wrongPath: self = .fileNotFound
    case .notWritable, .openedForReading: self = .notWritable
    case .doubtfulClock, .clockOutOfRange: self = .wrongClock
    case .diskFull: self = .diskFull
    case .otherStore, .alreadyExchanged: self = .otherStore
    case .notOwner, .noOwners, .ownerStays: self = .notOwner
    case .removed: self = .removed
    case .locked: self = .locked
    case .tooManyVersions: self = .tooManyVersions
    case .versionEnded: self = .versionEnded
    case .schemaClash: self = .schemaMismatch
    case .duplicateKey: self = .duplicatePrimaryKey
    case .noSuchClass, .noSuchObject, .noSuchProperty, .noSuchElement, .typeMismatch,
      .incrementOfNil, .noSuchInstance, .tooLarge, .tooComplex, .noSuchConflict, .noSuchTarget,
      .nothingDeferred,
      .noFullTextIndex:
      self = .invalidValue
    case .notInTransaction, .alreadyInTransaction: self = .notInTransaction
    case .alreadyThere: self = .fileExists
    case .inUse: self = .locked
    case .unsound: self = .invalidFile
    case .notYet, .systemCall, .diskFailed, .outOfMemory, .noModule, .sqlite, .unexpected:
      self = .system
    }
  }
}
