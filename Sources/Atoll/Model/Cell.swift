import AtollStorage
import AtollVocabulary

/// One property of one managed object, on its way to the row.
public struct _Cell {
  let object: ObjectBase
  let slot: Int

  @usableFromInline init(object: ObjectBase, slot: Int32) {
    self.object = object
    self.slot = Int(slot)
  }
}

extension _Cell {
  var stored: _Stored {
    // The object keeps its source; counting that took a tenth of a read.
    Unmanaged.passUnretained(source)._withUnsafeGuaranteedRef { $0.stored(slot, of: object) }
  }

  func assign(_ value: _Stored) { source.assign(value, to: slot, of: object) }

  /// Makes `handle` the one of the collection; the wrapper keeps it for as long as the object lives.
  func attach(_ handle: CollectionBase) { source.attach(handle, to: slot, of: object) }

  var property: PropertyDescriptor { object.model.properties[slot] }

  /// Rules 13 and 18 at once: the text of the original, and where it happened.
  func stopUnconvertible(_ stored: _Stored, to type: Any.Type) -> Never {
    let place = "\(property.place), in the object \(object.shortDescription)"
    // Rule 13 of null: the type's default does not convert either.
    let remedy =
      stored.isNull
      ? "The object has no value, as one that is older than the property. Make the property "
        + "optional, give such objects a value in a migration block, or read it with "
      : "Make the property optional, or read it with "
    Trap.stop(
      "Failed to convert persisted value '\(stored)' to type '\(type)' in a non-optional context. "
        + "\(place). \(remedy)'try object.$\(property.name).value()'.")
  }

  @inline(__always) private var source: RowSource {
    guard let source = object.source else { Trap.stop("A managed object without a row.") }
    return source
  }
}

/// The source of a managed object's properties: a row, or the recorder of a key path.
class RowSource {
  func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    Trap.stop("A row source that cannot be read.")
  }

  func assign(_ value: _Stored, to slot: Int, of object: ObjectBase) {
    Trap.stop("A row source that cannot be written.")
  }

  /// Makes `handle` the one of a collection property.
  func attach(_ handle: CollectionBase, to slot: Int, of object: ObjectBase) {
    if let collection = collection(slot, of: object) { handle.attach(to: collection) }
  }

  /// The row at the root of what stands here; nil if no store manages it.
  var row: ManagedRow? { nil }

  /// From the row's object to the one that stands here.
  var steps: [FieldPath.Step] { [] }

  /// Tells whether the object that `layout` describes is there, and the same instance.
  func isAlive(_ layout: RowLayout, _ instance: Int64) -> Bool { true }

  /// Returns the source in the same place in another store of the file, and the layout of its
  /// class; nil if there is no such place.
  func counterpart(in store: Store) -> (source: RowSource, root: RowLayout)? { nil }

  /// Returns the instance of the embedded object at `layout`; ``RowLayout/rootInstance`` for none.
  func instance(at layout: RowLayout) -> Int64 { RowLayout.rootInstance }

  func isSame(as other: RowSource) -> Bool { self === other }

  /// Returns the path of a property in the row; nil for primary keys, and for unmanaged objects.
  final func path(_ slot: Int, of object: ObjectBase) -> FieldPath? {
    guard row != nil, let layout = object.layout, let property = layout.slots[slot].property else {
      return nil
    }
    return FieldPath(steps: steps + layout.steps, property: property)
  }
}
