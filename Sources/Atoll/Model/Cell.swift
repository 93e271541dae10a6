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
  var stored: _Stored { source.stored(slot, of: object) }

  func assign(_ value: _Stored) { source.assign(value, to: slot, of: object) }

  /// The collection's handle; the wrapper keeps it for as long as the object lives.
  func makeHandle<Element>(of _: Element.Type) -> List<Element> {
    source.list(slot, of: object, as: List<Element>.self)
  }

  var property: PropertyDescriptor { ModelClass.of(type(of: object)).properties[slot] }

  /// Rules 13 and 18 at once: the text of the original, and where it happened.
  func stopUnconvertible(_ stored: _Stored, to type: Any.Type) -> Never {
    let place = "\(property.place), in the object \(object.shortDescription)"
    Trap.stop(
      "Failed to convert persisted value '\(stored)' to type '\(type)' in a non-optional context. "
        + "\(place). Make the property optional, or read it with 'try object.$\(property.name)"
        + ".value()'.")
  }

  private var source: RowSource {
    guard let source = object.source else { Trap.stop("A managed object without a row.") }
    return source
  }
}

/// What stands behind a managed object's properties: a row, or the recorder of a key path.
class RowSource {
  func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    Trap.stop("A row source that cannot be read.")
  }

  func assign(_ value: _Stored, to slot: Int, of object: ObjectBase) {
    Trap.stop("A row source that cannot be written.")
  }

  func list<Element>(
    _ slot: Int, of object: ObjectBase, as type: List<Element>.Type
  ) -> List<Element> {
    Trap.stop("A row source without lists.")
  }
}
