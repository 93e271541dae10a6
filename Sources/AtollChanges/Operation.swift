package import AtollVocabulary

/// One operation of a changeset: about an object, or about changesets.
///
/// Every operation takes the next index of its changeset; its stamp is (changeset time, author,
/// index). An embedded object that a value brings along has that stamp as its instance, at any
/// depth, and so has every field in it.
package enum Operation: Hashable, Sendable {
  case data(DataOperation)
  case control(ControlOperation)

  /// The object that it makes, ends or leads into; nil of a control operation.
  package var object: ObjectReference? {
    if case .data(let operation) = self { operation.object } else { nil }
  }
}

/// One intention of a write transaction, on one object or cell: merged into the tables.
package enum DataOperation: Hashable, Sendable {
  /// Creates an object in `object.generation` (odd), with the values of its non-collection properties.
  case create(ObjectReference, [CreatedField])
  /// Ends an object; `object.generation` is the resulting even number.
  case delete(ObjectReference)
  /// Assigns a register: a property, or an embedded slot as a whole.
  case assign(CellPath, FieldValue)
  /// Adds to an integer, if the value it was made on is still there.
  case increment(CellPath, by: Int64, on: StepBase)
  /// Inserts into a list; the new element's identity is this operation's own.
  case insert(CellPath, at: PositionKey, FieldValue)
  /// Assigns a list element's value.
  case assignElement(CellPath, ElementReference, FieldValue)
  /// Assigns a list element's position.
  case move(CellPath, ElementReference, to: PositionKey)
  /// Removes a list element for good.
  case remove(CellPath, ElementReference)
  /// Removes every list element its author held, ascending as the author saw them.
  case clear(CellPath, [ElementReference])
  /// Makes a value or an object a member of a set.
  case insertMember(CellPath, FieldValue)
  /// Takes a value or an object out of a set; the removal is remembered while the object lives.
  case removeMember(CellPath, FieldValue)
  /// Assigns a map's entry.
  case assignEntry(CellPath, key: String, FieldValue)
  /// Removes a map's entry; the removal is remembered while the object lives.
  case removeEntry(CellPath, key: String)
}

/// A statement about changesets of another author: carried out in the log, and never merged.
package enum ControlOperation: Hashable, Sendable {
  /// Releases an author's changesets up to a number: they are applied however far ahead they are
  /// stamped. Given by an operator.
  case release(AuthorNumber, through: SequenceNumber)
  /// Supersedes a range of a former incarnation's changesets, which change nothing from then on: the
  /// replica reissues them.
  case supersede(AuthorNumber, from: SequenceNumber, through: SequenceNumber)
}

extension DataOperation {
  /// The object that it makes, ends or leads into.
  package var object: ObjectReference {
    switch self {
    case .create(let object, _), .delete(let object): object
    case .assign(let path, _), .increment(let path, _, _), .insert(let path, _, _),
      .assignElement(let path, _, _), .move(let path, _, _), .remove(let path, _),
      .clear(let path, _), .insertMember(let path, _), .removeMember(let path, _),
      .assignEntry(let path, _, _), .removeEntry(let path, _):
      path.object
    }
  }
}

/// An object in one of its generations, as an author refers to it.
package struct ObjectReference: Hashable, Sendable {
  package var `class`: ClassNumber
  /// A scalar of the class's key type, or null; ``PersistedValue/identity(_:)`` for hidden keys.
  package var key: PersistedValue
  package var generation: Generation

  package init(class: ClassNumber, key: PersistedValue, generation: Generation) {
    self.class = `class`
    self.key = key
    self.generation = generation
  }
}

/// The value of a register, a list element or a created field.
package enum FieldValue: Hashable, Sendable {
  /// A scalar, or nil for properties of any type.
  case scalar(PersistedValue)
  /// In a box, so that values stay small.
  indirect case link(ObjectReference)
  /// The fields of a new embedded object; those left out have no cell.
  case embedded([EmbeddedField])
  /// A new list or map without elements, in an any-typed slot; the operations that follow fill it.
  case collection(CollectionKind)
}

/// A field of an embedded object that is assigned as a whole.
package struct EmbeddedField: Hashable, Sendable {
  package var property: PropertyNumber
  package var value: FieldValue

  package init(property: PropertyNumber, value: FieldValue) {
    self.property = property
    self.value = value
  }
}

/// A property's first value, and whether the application gave it or the model's default did.
package struct CreatedField: Hashable, Sendable {
  package var property: PropertyNumber
  package var value: FieldValue
  package var isAssigned: Bool

  package init(property: PropertyNumber, value: FieldValue, isAssigned: Bool) {
    self.property = property
    self.value = value
    self.isAssigned = isAssigned
  }
}

/// The place of a cell: an object, the path through embedded objects, and a property.
package struct CellPath: Hashable, Sendable {
  package var object: ObjectReference
  /// From the object inwards; empty for the object's own properties.
  package var steps: [PathStep]
  package var property: PropertyNumber
  /// From the property into the list or map that an any-typed slot holds; mostly empty.
  package var nested: [NestedStep]

  package init(
    object: ObjectReference, steps: [PathStep] = [], property: PropertyNumber,
    nested: [NestedStep] = []
  ) {
    self.object = object
    self.steps = steps
    self.property = property
    self.nested = nested
  }
}

/// One step into a list or map that an any-typed slot holds, naming the instance it was made in.
package enum NestedStep: Hashable, Sendable {
  /// Into the collection that `instance` put into a property that holds one value.
  case slot(instance: StampReference)
  /// Into the collection that `instance` put into a list element.
  case element(ElementReference, instance: StampReference)
  /// Into the collection that `instance` put into a map entry.
  case entry(key: String, instance: StampReference)
}

/// One step down into an embedded object, naming the instance it was made in.
package enum PathStep: Hashable, Sendable {
  /// Into the embedded object that `instance` put into a to-one property.
  case slot(PropertyNumber, instance: StampReference)
  /// Into the embedded object that `instance` put into a list element.
  case element(PropertyNumber, ElementReference, instance: StampReference)
  /// Into the embedded object that `instance` put into a map entry.
  case entry(PropertyNumber, key: String, instance: StampReference)
}

/// A stamp as an author refers to it.
package struct StampReference: Hashable, Sendable {
  package var time: HybridTime
  package var author: AuthorNumber
  package var index: UInt32

  package init(time: HybridTime, author: AuthorNumber, index: UInt32) {
    self.time = time
    self.author = author
    self.index = index
  }
}

/// A list element as an author refers to it.
package struct ElementReference: Hashable, Sendable {
  package var author: AuthorNumber
  package var sequence: SequenceNumber
  package var index: UInt32

  package init(author: AuthorNumber, sequence: SequenceNumber, index: UInt32) {
    self.author = author
    self.sequence = sequence
    self.index = index
  }
}

/// The value a counter step was made on.
package enum StepBase: Hashable, Sendable {
  /// Any default: one that a create recorded, or the zero of a property no create recorded.
  case `default`
  /// The value that this assignment made.
  case assignment(StampReference)
}

/// The position of a list element; compared as bytes.
///
/// A key is a path in Fugue's order (Weidner and Kleppmann, "The Art of the Fugue", 2023):
/// `protocol/changeset.md`, "Position keys", has the layout.
package struct PositionKey: Hashable, Sendable {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PositionKey: Comparable {
  package static func < (a: PositionKey, b: PositionKey) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}
