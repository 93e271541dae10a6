/// A model class whose objects can be told apart in lists of views.
///
/// ```swift
/// final class Item: Object, ObjectKeyIdentifiable { … }
/// ```
///
/// A class that declares an `id` of its own is identified by that.
public protocol ObjectKeyIdentifiable: Identifiable {}

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// The same for every accessor of one managed object of a file, also of what is frozen, and of an
  /// embedded one; that of the instance otherwise.
  public var id: UInt64 { stableIdentity }
}

extension ObjectBase {
  @usableFromInline final var stableIdentity: UInt64 {
    guard let source, let row = source.row, let layout else {
      return UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
    var hasher = Hasher()
    hasher.combine(row.table.classID)
    hasher.combine(row.id)
    hasher.combine(source.steps)
    hasher.combine(layout.steps)
    hasher.combine(instance)
    return UInt64(UInt(bitPattern: hasher.finalize()))
  }
}
