package import AtollVocabulary

// The text of a changeset, a line for each thing, as in `atoll log` and in the vectors of
// `protocol/vectors/changesets`. Unlike the descriptions in AtollVocabulary it names every type.

extension Changeset {
  /// Head, dependencies, declarations and operations, in the order of the bytes.
  package var lines: [String] {
    ["changeset \(sequence) at \(time)" + (isContinued ? ", continued" : "")]
      + dependencies.map { "needs \($0.author.rawValue):\($0.sequence) \($0.hash)" }
      + declarations.map(\.description) + operations.map(\.description)
  }
}

extension Declaration: CustomStringConvertible {
  package var description: String {
    switch self {
    case .class(let value):
      value.isEmbedded
        ? "declare embedded class \(value.name.debugDescription)"
        : "declare class \(value.name.debugDescription) key \(value.keyType)"
          + (value.keyName.map { " \($0.debugDescription)" } ?? "")
    case .property(let value):
      "declare property \(value.owner.rawValue).\(value.name.debugDescription) "
        + (value.collection == .none ? "" : "\(value.collection.name) of ") + "\(value.type)"
        + (value.target.map { " of \($0.rawValue)" } ?? "")
    case .author(let author): "declare author \(author)"
    }
  }
}

extension Operation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .data(let operation): "\(operation)"
    case .control(let operation): "\(operation)"
    }
  }
}

extension ControlOperation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .release(let author, let last): "release \(author.rawValue) through \(last)"
    case .supersede(let author, let first, let last):
      "supersede \(author.rawValue) from \(first) through \(last)"
    }
  }
}

extension DataOperation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .create(let object, let fields): "create \(object) {\(Self.text(fields))}"
    case .delete(let object): "delete \(object)"
    case .assign(let path, let value): "assign \(path) = \(value)"
    case .increment(let path, let amount, let base): "increment \(path) by \(amount) on \(base)"
    case .insert(let path, let position, let value): "insert \(path) at \(position) = \(value)"
    case .assignElement(let path, let element, let value): "assign \(path)\(element) = \(value)"
    case .move(let path, let element, let position): "move \(path)\(element) to \(position)"
    case .remove(let path, let element): "remove \(path)\(element)"
    case .clear(let path, let elements):
      "clear \(path) of \(elements.isEmpty ? "none" : elements.map(\.description).joined())"
    case .insertMember(let path, let value): "insert \(path) member \(value)"
    case .removeMember(let path, let value): "remove \(path) member \(value)"
    case .assignEntry(let path, let key, let value):
      "assign \(path)[\(key.debugDescription)] = \(value)"
    case .removeEntry(let path, let key): "remove \(path)[\(key.debugDescription)]"
    }
  }

  private static func text(_ fields: [CreatedField]) -> String {
    fields.map { "\($0.property.rawValue): \($0.value)\($0.isAssigned ? "" : " default")" }
      .joined(separator: ", ")
  }
}

extension ObjectReference: CustomStringConvertible {
  /// Class, key and generation: `0[string "LSZH"]/1`.
  package var description: String { "\(`class`.rawValue)[\(key.typedDescription)]/\(generation)" }
}

extension CellPath: CustomStringConvertible {
  package var description: String {
    "\(object)\(steps.map(\.description).joined()).\(property.rawValue)"
      + nested.map(\.description).joined()
  }
}

extension PathStep: CustomStringConvertible {
  /// Property, element or key if it is in a collection, and instance.
  package var description: String {
    switch self {
    case .slot(let property, let instance): ".\(property.rawValue){\(instance)}"
    case .element(let property, let element, let instance):
      ".\(property.rawValue)\(element){\(instance)}"
    case .entry(let property, let key, let instance):
      ".\(property.rawValue)[\(key.debugDescription)]{\(instance)}"
    }
  }
}

extension NestedStep: CustomStringConvertible {
  /// Element or key, if it is in a collection, and instance.
  package var description: String {
    switch self {
    case .slot(let instance): "{\(instance)}"
    case .element(let element, let instance): "\(element){\(instance)}"
    case .entry(let key, let instance): "[\(key.debugDescription)]{\(instance)}"
    }
  }
}

extension StampReference: CustomStringConvertible {
  package var description: String { "\(time)@\(author.rawValue)#\(index)" }
}

extension ElementReference: CustomStringConvertible {
  package var description: String { "[\(author.rawValue):\(sequence)#\(index)]" }
}

extension StepBase: CustomStringConvertible {
  package var description: String {
    switch self {
    case .default: "default"
    case .assignment(let stamp): stamp.description
    }
  }
}

extension PositionKey: CustomStringConvertible {
  package var description: String { Hexadecimal.text(bytes: bytes) }
}

extension FieldValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scalar(let value): value.typedDescription
    case .link(let object): "link \(object)"
    case .embedded(let fields):
      "{\(fields.map { "\($0.property.rawValue): \($0.value)" }.joined(separator: ", "))}"
    case .collection(let kind): "new \(kind.name)"
    }
  }
}

extension PersistedValue {
  /// The value with its type and nothing left out: `string "LSZH"`, `double 1.5`.
  package var typedDescription: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "bool \(value)"
    case .int(let value): "int \(value)"
    case .float(let value): "float \(value)"
    case .double(let value): "double \(value)"
    case .string(let value): "string \(value.debugDescription)"
    case .data(let value): "data <\(Hexadecimal.text(bytes: value))>"
    case .date(let value): "date \(value)"
    case .uuid(let value): "uuid \(value)"
    case .objectId(let value): "objectid \(value)"
    case .decimal(let value): "decimal \(value)"
    case .identity(let value): "identity \(value.author):\(value.sequence)#\(value.index)"
    }
  }
}
