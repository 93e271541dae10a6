import AtollStorage

extension Store {
  /// The treatment of an object whose primary key exists in the store.
  public enum UpdatePolicy: Int, Sendable {
    /// That is an error.
    case error = 1
    /// Every property that is given is written; embedded objects are replaced.
    case all = 2
    /// Only properties that differ are written; embedded objects are changed where they are.
    case modified = 3
  }
}

/// Why an object does not come into a store.
enum AdditionFailure: Swift.Error {
  case storage(StorageError)
  case refused(Store.Error)
}

extension Store.Error {
  init(_ failure: AdditionFailure) {
    switch failure {
    case .storage(let error): self.init(error)
    case .refused(let error): self = error
    }
  }
}
