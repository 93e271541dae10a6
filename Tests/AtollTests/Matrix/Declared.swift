import Atoll
import Foundation

/// The way in which the properties of the tests' model classes are declared.
///
/// `@Persisted(.either) var elements: List<Int>` is `@Persisted var elements: List<Int>` in one run
/// of the tests and `@Persisted var elements = List<Int>()` in another; see
/// ``InitialValueMatrixTests``. The initial value is the one that the type has by default.
enum Declared {
  case either

  static let variable = "ATOLL_INITIAL_VALUES"
  static let hasInitialValues = ProcessInfo.processInfo.environment[variable] != nil
}

extension Persisted {
  init(_: Declared) {
    guard let value = Self.initialValue else {
      self.init()
      return
    }
    self.init(wrappedValue: value)
  }

  /// Nil in the run without initial values, and where a mapping rejects its type's default.
  fileprivate static var initialValue: Value? {
    Declared.hasInitialValues ? Value._makeDefault() : nil
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  init(primaryKey: Declared) {
    guard let value = Self.initialValue else {
      self.init(primaryKey: true)
      return
    }
    self.init(wrappedValue: value, primaryKey: true)
  }
}

extension Persisted where Value.PersistedType: _Indexable {
  init(indexed: Declared) {
    guard let value = Self.initialValue else {
      self.init(indexed: true)
      return
    }
    self.init(wrappedValue: value, indexed: true)
  }
}
