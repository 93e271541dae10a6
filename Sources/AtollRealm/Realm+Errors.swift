public import Atoll

// Realm's codes of errors, which are those of `Store.Error.Code` under other names.
extension Store.Error {
  /// The code of that name in Realm; here `system`.
  public static let fail = Code.system
  /// The code of that name in Realm; here `invalidFile`.
  public static let fileAccess = Code.invalidFile
  /// The code of that name in Realm; here `notWritable`.
  public static let filePermissionDenied = Code.notWritable
  /// The code of that name in Realm; here `fileExists`.
  public static let fileExists = Code.fileExists
  /// The code of that name in Realm; here `fileNotFound`.
  public static let fileNotFound = Code.fileNotFound
  /// The code of that name in Realm; here `invalidFile`.
  public static let invalidDatabase = Code.invalidFile
  /// The code of that name in Realm; here `invalidFile`.
  public static let unsupportedFileFormatVersion = Code.invalidFile
  /// The code of that name in Realm; here `invalidFile`.
  public static let fileFormatUpgradeRequired = Code.invalidFile
  /// The code of that name in Realm; here `schemaMismatch`.
  public static let schemaMismatch = Code.schemaMismatch
  /// The code of that name in Realm; here `locked`.
  public static let alreadyOpen = Code.locked
  /// The code of that name in Realm; here `diskFull`.
  public static let outOfDiskSpace = Code.diskFull
  /// The code of that name in Realm; here `invalidValue`.
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
  /// Realm's name of `system`.
  public static var fail: Self { .system }
  /// Realm's name of `invalidFile`.
  public static var fileAccess: Self { .invalidFile }
  /// Realm's name of `notWritable`.
  public static var filePermissionDenied: Self { .notWritable }
  /// Realm's name of `invalidFile`.
  public static var invalidDatabase: Self { .invalidFile }
  /// Realm's name of `invalidFile`.
  public static var unsupportedFileFormatVersion: Self { .invalidFile }
  /// Realm's name of `invalidFile`.
  public static var fileFormatUpgradeRequired: Self { .invalidFile }
  /// Realm's name of `locked`.
  public static var alreadyOpen: Self { .locked }
  /// Realm's name of `diskFull`.
  public static var outOfDiskSpace: Self { .diskFull }
  /// Realm's name of `invalidValue`.
  public static var invalidInput: Self { .invalidValue }

  /// Lets `catch Realm.Error.fileNotFound` match.
  public static func ~= (code: Self, error: any Swift.Error) -> Bool {
    (error as? Store.Error)?.code == code
  }
}
