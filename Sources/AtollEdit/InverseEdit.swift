import AtollVocabulary

/// A step that takes an edit back, and what it has to find for that: what the edit had written.
enum InverseEdit {
  /// Of making an object: deletes it.
  case delete(ObjectName, written: JSONValue)
  /// Of deleting an object: makes it again, with the members of its line.
  case create(ObjectName, [JSONValue.Member])
  case assign(ObjectName, _ path: String, JSONValue, written: JSONValue)
  case increment(ObjectName, _ path: String, by: Int64)
  /// Of inserting an element.
  case removeElement(ObjectName, _ path: String, ElementID, written: JSONValue)
  /// Of removing an element, which had this id.
  case insertElement(ObjectName, _ path: String, ElementID, at: Int, JSONValue)
  case replaceElement(ObjectName, _ path: String, ElementID, JSONValue, written: JSONValue)
  case moveElement(ObjectName, _ path: String, ElementID, to: Int)
  case add(ObjectName, _ path: String, JSONValue)
  case drop(ObjectName, _ path: String, JSONValue)
  /// Of an entry that had a value, or none, and was given one, or none.
  case entry(ObjectName, _ path: String, _ key: String, JSONValue?, written: JSONValue?)
}

extension InverseEdit {
  /// The memory that the values take, without what is the same for every step.
  var byteCount: Int {
    switch self {
    case .delete(_, let written): written.byteCount
    case .create(_, let members): JSONValue.object(members).byteCount
    case .assign(_, _, let before, let written), .replaceElement(_, _, _, let before, let written):
      before.byteCount + written.byteCount
    case .entry(_, _, _, let before, let written):
      (before?.byteCount ?? 0) + (written?.byteCount ?? 0)
    case .removeElement(_, _, _, let value), .insertElement(_, _, _, _, let value),
      .add(_, _, let value), .drop(_, _, let value):
      value.byteCount
    case .increment, .moveElement: 0
    }
  }
}

extension JSONValue {
  fileprivate var byteCount: Int {
    let own = MemoryLayout<JSONValue>.size
    return switch self {
    case .null, .bool: own
    case .number(let text), .string(let text): own + text.utf8.count
    case .array(let elements): elements.reduce(own) { $0 + $1.byteCount }
    case .object(let members):
      members.reduce(own) { $0 + $1.name.utf8.count + $1.value.byteCount }
    }
  }
}

/// Why a step back cannot be made.
enum UndoProblem: Error {
  case changed(what: String, found: String, expected: String)
  case gone(what: String)
}

/// The objects and elements that were made again during an undo, by their former names.
///
/// An object without a primary key is made again under another hidden key, and an element under another
/// id; what is taken back after that means the new one.
struct Successors {
  private struct Element: Hashable {
    let className: String
    let path: String
    let id: ElementID
  }

  private var objects: [ObjectName: ObjectName] = [:]
  private var elements: [Element: ElementID] = [:]

  mutating func record(_ new: ObjectName, for old: ObjectName) {
    if new != old { objects[old] = new }
  }

  mutating func record(_ new: ElementID, for old: ElementID, _ path: String, of object: ObjectName)
  {
    elements[Element(className: object.className, path: path, id: old)] = new
  }

  /// The object that has taken the place of another; itself if none has.
  func current(_ object: ObjectName) -> ObjectName {
    var object = object
    while let next = objects[object] { object = next }
    return object
  }

  func current(_ id: ElementID, _ path: String, of object: ObjectName) -> ElementID {
    var id = id
    while let next = elements[Element(className: object.className, path: path, id: id)] {
      id = next
    }
    return id
  }

  /// A value in which links to objects that were made again lead to the new ones.
  func current(_ value: JSONValue) -> JSONValue {
    guard !objects.isEmpty else { return value }
    switch value {
    case .null, .bool, .number, .string: return value
    case .array(let elements): return .array(elements.map(current))
    case .object(let members):
      if members.count == 1, members[0].name == "identity",
        case .string(let text) = members[0].value
      {
        let known = objects.keys.first { Self.text($0.key) == text }
        let new = known.flatMap { Self.text(current($0).key) }
        return .object([.init(name: "identity", value: .string(new ?? text))])
      }
      return .object(members.map { .init(name: $0.name, value: current($0.value)) })
    }
  }

  /// A hidden key as `export` writes it.
  private static func text(_ key: PersistedValue) -> String? {
    guard case .identity(let identity) = key else { return nil }
    return "\(identity.author):\(identity.sequence):\(identity.index)"
  }
}
