public import Atoll

// Realm's codes of errors, which are those of `Store.Error.Code` under other names.
extension Store.Error {
  public static let fail = Code.system
  public static let fileAccess = Code.invalidFile
  public static let filePermissionDenied = Code.notWritable
  public static let fileExists = Code.fileExists
  public static let fileNotFound = Code.fileNotFound
  public static let invalidDatabase = Code.invalidFile
  public static let unsupportedFileFormatVersion = Code.invalidFile
  public static let fileFormatUpgradeRequired = Code.invalidFile
  public static let schemaMismatch = Code.schemaMismatch
  public static let alreadyOpen = Code.locked
  public static let outOfDiskSpace = Code.diskFull
  public static let invalidInput = Code.invalidValue
}

extension Store.Error {
  /// An error of the application's own making, with the text that `userInfo` has for
  /// `NSLocalizedDescriptionKey`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let text = userInfo["NSLocalizedDescription"] as? String
    self.init(code, text ?? "The application gave up with the code '\(code)'.")
  }
}

extension Store.Error.Code {
  public static var fail: Self { .system }
  public static var fileAccess: Self { .invalidFile }
  public static var filePermissionDenied: Self { .notWritable }
  public static var invalidDatabase: Self { .invalidFile }
  public static var unsupportedFileFormatVersion: Self { .invalidFile }
  public static var fileFormatUpgradeRequired: Self { .invalidFile }
  public static var alreadyOpen: Self { .locked }
  public static var outOfDiskSpace: Self { .diskFull }
  public static var invalidInput: Self { .invalidValue }

  /// Lets `catch Realm.Error.fileNotFound` match.
  public static func ~= (code: Self, error: any Swift.Error) -> Bool {
    (error as? Store.Error)?.code == code
  }
}
