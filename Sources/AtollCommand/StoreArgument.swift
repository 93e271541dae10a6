import ArgumentParser
import AtollEdit
import AtollInspect
import AtollStorage
import AtollVocabulary

/// The store file that a command is about.
struct StoreArgument: ParsableArguments {
  @Argument(help: "The store file.", completion: .file())
  var store: String

  /// Opens the file for what people are shown of it.
  func inspect() throws -> Inspection { try Inspection(path: store) }

  /// Opens the file for copying it; nothing is changed.
  func read() throws -> StoreFile {
    try StoreFile.open(store, options: StoreOptions(isReadOnly: true, mayCreate: false))
  }

  /// Opens the file for what a person changes of it; it must be there.
  func edit() throws -> StoreEditor { try StoreEditor(path: store) }

  /// Opens the file for a change; it must be there.
  func write() throws -> StoreFile {
    try StoreFile.open(store, options: StoreOptions(mayCreate: false))
  }
}

extension StoreID: ExpressibleByArgument {
  /// Reads 32 hexadecimal digits, or the same as a UUID, as Foundation prints them.
  public init?(argument: String) {
    if let bytes = UniqueBytes(argument) {
      self.init(high: bytes.high, low: bytes.low)
    } else {
      self.init(argument)
    }
  }
}
