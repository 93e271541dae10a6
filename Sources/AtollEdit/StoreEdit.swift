/// One change that a person makes to a store, as JSON tells it.
///
/// A path is the name of a property, with those of the embedded objects around it and dots between.
package struct StoreEdit: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// Makes an object of values.
    case create([JSONValue.Member])
    /// Assigns properties, as `atoll import` does; with a path those of the embedded object there.
    case set(path: String?, [JSONValue.Member])
    /// Assigns one property.
    case assign(path: String, JSONValue)
    /// Adds to an integer.
    case increment(path: String, by: Int64)
    case delete
    /// Gives a property the value once more that a changeset had given it; the hash may be cut to 16 digits.
    case restore(path: String, changeset: String)
    /// Puts a value into a list, before the element at the index; at the end if there is none.
    case insert(path: String, JSONValue, at: Int?)
    /// Gives an element of a list another value.
    case replace(path: String, JSONValue, at: Int)
    /// Takes an element out of a list.
    case remove(path: String, at: Int)
    /// Moves an element of a list, so that it ends up at another index.
    case move(path: String, from: Int, to: Int)
    /// Makes a value a member of a set.
    case add(path: String, JSONValue)
    /// Takes a member out of a set.
    case drop(path: String, JSONValue)
    /// Gives an entry of a map a value.
    case put(path: String, entry: String, JSONValue)
    /// Takes an entry out of a map.
    case take(path: String, entry: String)
  }

  package let className: String
  /// The key of the object, as `atoll objects` prints it; nil to make an object without a primary key.
  package let key: String?
  package let action: Action

  package init(_ className: String, key: String? = nil, _ action: Action) {
    self.className = className
    self.key = key
    self.action = action
  }

  /// Reads `{"edits":[…]}`, with numbers as they are written.
  ///
  /// - Parameter bytes: The text; each edit is as `Edit` in the description of the studio's API.
  /// - Returns: The edits in their order.
  /// - Throws: `EditError.malformed` with the place and what was expected there.
  package static func edits(in bytes: some Collection<UInt8>) throws(EditError) -> [StoreEdit] {
    let value: JSONValue
    do throws(JSONProblem) {
      value = try JSONValue(bytes)
    } catch {
      throw .malformed(
        index: nil, detail: "at byte \(error.offset + 1): expected \(error.expected)")
    }
    guard case .object(let members) = value, members.count == 1,
      case .array(let elements)? = value["edits"]
    else {
      throw .malformed(index: nil, detail: "found \(value.kind), expected {\"edits\":[…]}")
    }
    var edits: [StoreEdit] = []
    for (index, element) in elements.enumerated() {
      do throws(Importer.Problem) {
        edits.append(try EditReader(element).edit())
      } catch {
        throw .malformed(index: index, detail: error.text)
      }
    }
    return edits
  }
}

/// The members of one edit, each read once.
private struct EditReader {
  private let value: JSONValue
  private static let known: Set<String> = [
    "kind", "class", "key", "path", "values", "value", "by", "at", "to", "entry",
    "changeset",
  ]

  init(_ value: JSONValue) throws(Importer.Problem) {
    guard case .object(let members) = value else {
      throw Importer.Problem(text: "found \(value.kind), expected an object")
    }
    var names: Set<String> = []
    for member in members {
      guard Self.known.contains(member.name) else {
        throw Importer.Problem(
          text: "found \"\(member.name)\", expected nothing but "
            + Self.known.sorted().joined(separator: ", "))
      }
      guard names.insert(member.name).inserted else {
        throw Importer.Problem(text: "found \"\(member.name)\" twice, expected once")
      }
    }
    self.value = value
  }

  func edit() throws(Importer.Problem) -> StoreEdit {
    StoreEdit(try text("class"), key: try optionalText("key"), try action())
  }

  private func action() throws(Importer.Problem) -> StoreEdit.Action {
    switch try text("kind") {
    case "create": .create(try members())
    case "set" where value["values"] == nil: .assign(path: try text("path"), try given())
    case "set": .set(path: try optionalText("path"), try members())
    case "increment": .increment(path: try text("path"), by: try number("by"))
    case "delete": .delete
    case "restore": .restore(path: try text("path"), changeset: try text("changeset"))
    case "insert": .insert(path: try text("path"), try given(), at: try optionalIndex("at"))
    case "replace": .replace(path: try text("path"), try given(), at: try index("at"))
    case "remove": .remove(path: try text("path"), at: try index("at"))
    case "move": .move(path: try text("path"), from: try index("at"), to: try index("to"))
    case "add": .add(path: try text("path"), try given())
    case "drop": .drop(path: try text("path"), try given())
    case "put": .put(path: try text("path"), entry: try text("entry"), try given())
    case "take": .take(path: try text("path"), entry: try text("entry"))
    case let other:
      throw Importer.Problem(
        text: "kind: found \"\(other)\", expected create, set, increment, delete, restore, insert, "
          + "replace, remove, move, add, drop, put or take")
    }
  }

  private func problem(_ name: String, _ expected: String) -> Importer.Problem {
    Importer.Problem(text: "\(name): found \(value[name]?.kind ?? "nothing"), expected \(expected)")
  }

  private func text(_ name: String) throws(Importer.Problem) -> String {
    guard let text = try optionalText(name) else { throw problem(name, "a text") }
    return text
  }

  private func optionalText(_ name: String) throws(Importer.Problem) -> String? {
    switch value[name] {
    case nil, .null: return nil
    case .string(let text): return text
    case _: throw problem(name, "a text")
    }
  }

  private func members() throws(Importer.Problem) -> [JSONValue.Member] {
    guard case .object(let members)? = value["values"] else {
      throw problem("values", "an object")
    }
    return members
  }

  private func given() throws(Importer.Problem) -> JSONValue {
    guard let given = value["value"] else { throw problem("value", "a value") }
    return given
  }

  private func number(_ name: String) throws(Importer.Problem) -> Int64 {
    guard case .number(let text)? = value[name], let number = Int64(text) else {
      throw problem(name, "a whole number of 64 bits")
    }
    return number
  }

  private func index(_ name: String) throws(Importer.Problem) -> Int {
    Int(try number(name))
  }

  private func optionalIndex(_ name: String) throws(Importer.Problem) -> Int? {
    value[name] == nil || value[name] == .null ? nil : try index(name)
  }
}
