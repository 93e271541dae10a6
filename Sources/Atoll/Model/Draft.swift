/// Stands behind an object that was made from a dictionary, an array or the like, until it is known
/// what becomes of it.
///
/// The object holds what it was given and can hold; a store takes the given values as they are,
/// also those that do not convert (rule 30), and leaves the rest of an object that it updates.
final class Draft: RowSource {
  /// By slot, as stored.
  fileprivate(set) var given: [Int: _PropertyInput] = [:]
  /// A value that fits no form of its property, so that no store can take the object.
  fileprivate(set) var failure: Store.Error?
  /// A value that does not convert, so that the object cannot be used unmanaged.
  fileprivate var unconvertible: Store.Error?

  init(given: [Int: _PropertyInput] = [:]) { self.given = given }
}

extension ObjectBase {
  final var draft: Draft? { source as? Draft }

  /// A new object from any form of its values.
  static func draft(of value: Any) -> Self {
    let object = self.init()
    let draft = Draft()
    object.source = draft
    do throws(Store.Error) {
      for (property, given) in try object.model.values(in: value) {
        guard let input = property.coerce(given) else { throw property.unfit(given, in: object) }
        draft.given[property.slot] = input
        if draft.failure == nil { draft.failure = input.draftFailure }
        if property.take(given, input, in: object) { continue }
        draft.unconvertible = draft.unconvertible ?? property.unfit(given, in: object)
      }
    } catch {
      draft.failure = error
    }
    return object
  }

  /// Makes a draft, and every draft it leads to, an object of its own.
  final func settle() throws(Store.Error) {
    guard let draft else { return }
    if let failure = draft.failure ?? draft.unconvertible { throw failure }
    source = nil
    for input in draft.given.values { try input.settle() }
  }
}

extension _PropertyInput {
  func settle() throws(Store.Error) {
    for object in objects { try object.settle() }
  }

  fileprivate var draftFailure: Store.Error? {
    for object in objects {
      if let failure = object.draft?.failure { return failure }
    }
    return nil
  }
}
