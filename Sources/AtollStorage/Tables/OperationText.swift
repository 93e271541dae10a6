package import AtollChanges
import AtollLog
import AtollVocabulary

/// A changeset as people are shown it.
package struct ShownChangeset: Hashable, Sendable {
  /// In words, in their order.
  package var operations: [String] = []
  /// The changesets of others that its author had seen.
  package var dependencies: [ChangesetID] = []
}

/// An operation in words, for people: `set Airport LSZH name = "Kloten"`.
struct OperationText {
  let text: String

  /// - Throws: If the operation names what its author has not declared.
  init(_ operation: Operation, _ source: MergeSource, tables: ObjectTables) throws {
    switch operation {
    case .data(let operation):
      text = try Words(source: source, tables: tables).text(of: operation)
    case .control(.release(let author, let last)):
      let number = try tables.authorNumber(author, of: source.author)
      let name = tables.authors[number].map { "\($0.author)" } ?? "an author"
      text = "release \(name) up to changeset \(last.rawValue)"
    case .control(.supersede(let author, let first, let last)):
      let number = try tables.authorNumber(author, of: source.author)
      let name = tables.authors[number].map { "\($0.author)" } ?? "an author"
      text = "supersede \(name) from changeset \(first.rawValue) to \(last.rawValue)"
    }
  }

  /// The names that an author's numbers stand for.
  private struct Words {
    let source: MergeSource
    let tables: ObjectTables

    func text(of operation: DataOperation) throws -> String {
      switch operation {
      case .create(let object, let fields):
        let values = try fields.filter { $0.isAssigned }.map {
          "\(try name(of: $0.property)) = \(try value($0.value))"
        }
        return "create \(try name(of: object))"
          + (values.isEmpty ? "" : " with \(values.joined(separator: ", "))")
      case .delete(let object): return "delete \(try name(of: object))"
      case .assign(let path, let new): return "set \(try name(of: path)) = \(try value(new))"
      case .increment(let path, let amount, _):
        return "increment \(try name(of: path)) by \(amount)"
      case .insert(let path, _, let new):
        return "insert \(try value(new)) into \(try name(of: path))"
      case .assignElement(let path, _, let new):
        return "set an element of \(try name(of: path)) = \(try value(new))"
      case .move(let path, _, _): return "move an element of \(try name(of: path))"
      case .remove(let path, _): return "remove an element of \(try name(of: path))"
      case .clear(let path, let elements):
        return "remove \(elements.count) elements of \(try name(of: path))"
      case .insertMember(let path, let new):
        return "add \(try value(new)) to \(try name(of: path))"
      case .removeMember(let path, let old):
        return "remove \(try value(old)) from \(try name(of: path))"
      case .assignEntry(let path, let key, let new):
        return "set \(try name(of: path))[\(key.debugDescription)] = \(try value(new))"
      case .removeEntry(let path, let key):
        return "remove \(try name(of: path))[\(key.debugDescription)]"
      }
    }

    private func value(_ value: FieldValue) throws -> String {
      "\(try tables.ledgerValue(value, source))"
    }

    private func name(of object: ObjectReference) throws -> String {
      let entry = try tables.entry(try tables.classID(object.class, of: source.author))
      return "\(entry.name) \(object.key)"
    }

    private func name(of property: PropertyNumber) throws -> String {
      try tables.property(property, of: source.author).name
    }

    private func name(of path: CellPath) throws -> String {
      let steps = try path.steps.map { step in
        switch step {
        case .slot(let property, _): try name(of: property)
        case .element(let property, _, _): "\(try name(of: property))[…]"
        case .entry(let property, let key, _):
          "\(try name(of: property))[\(key.debugDescription)]"
        }
      }
      let names = steps + [try name(of: path.property)]
      return "\(try name(of: path.object)) \(names.joined(separator: "."))"
        + (path.nested.isEmpty ? "" : "[…]")
    }
  }
}
