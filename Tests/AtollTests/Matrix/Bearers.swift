import Atoll
import Foundation
import StoreTestKit
import Testing

/// Everything that every mapped type can be in.
final class Bearer<M: MappedSample>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: M
  @Persisted(.either) var optional: M?
  @Persisted(.either) var list: List<M>
  @Persisted(.either) var map: Map<String, M>
  @Persisted(.either) var optionalMap: Map<String, M?>
}

/// The further places of types that are mapped to scalars.
final class ScalarBearer<M: MappedSample>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var optionalList: List<M?>
  @Persisted(.either) var set: MutableSet<M>
  @Persisted(.either) var optionalSet: MutableSet<M?>
}

/// A store file of its own with the bearers of one mapped type.
struct RuleStore<M: MappedSample> {
  let folder: TemporaryStore
  let store: Store

  init(_ types: [ObjectBase.Type] = []) throws {
    let bearers: [ObjectBase.Type] = [Bearer<M>.self, ScalarBearer<M>.self]
    folder = TemporaryStore(
      (M.isEmbedded ? [bearers[0], Location.self] : bearers) + types)
    store = try folder.open()
  }

  /// Creates a bearer; values may have every form.
  @discardableResult
  func create(_ values: [String: Any] = [:]) throws -> Bearer<M> {
    try store.write { store.create(Bearer<M>.self, value: values) }
  }

  @discardableResult
  func createScalars(_ values: [String: Any] = [:]) throws -> ScalarBearer<M> {
    try store.write { store.create(ScalarBearer<M>.self, value: values) }
  }

  /// The same bearer, read by another connection to the file.
  func reopened(_ id: Int = 0) throws -> Bearer<M> {
    try #require(folder.open().object(ofType: Bearer<M>.self, forPrimaryKey: id))
  }

  func reopenedScalars(_ id: Int = 0) throws -> ScalarBearer<M> {
    try #require(folder.open().object(ofType: ScalarBearer<M>.self, forPrimaryKey: id))
  }
}
