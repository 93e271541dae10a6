import AtollEdit
import AtollInspect
import Foundation

extension SchemaDocument {
  /// Reads a file as `schema --json` writes it; a member that it does not know is an error.
  ///
  /// - Throws: `CommandError` with the place and what was expected there.
  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError.unreadable(path: path)
    }
    let reader = SchemaReader(path: path)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let value: JSONValue
    do throws(JSONProblem) {
      value = try JSONValue(data.starts(with: mark) ? data.dropFirst(mark.count) : data)
    } catch {
      throw reader.problem("at byte \(error.offset + 1): expected \(error.expected)")
    }
    self = try reader.document(value)
  }
}

/// The steps from JSON to a document, each with its place for messages.
private struct SchemaReader {
  let path: String

  func problem(_ detail: String) -> CommandError { .noSchema(path: path, detail: detail) }

  func document(_ value: JSONValue) throws -> SchemaDocument {
    let members = try members(of: value, "the file", ["classes"])
    return SchemaDocument(
      classes: try array(members["classes"], "the file's classes").enumerated().map {
        try stored($1, "class \($0 + 1)")
      })
  }

  private func stored(_ value: JSONValue, _ place: String) throws -> SchemaDocument.Class {
    let members = try members(of: value, place, ["name", "isEmbedded", "key", "properties"])
    let name = try text(members["name"], "the name of \(place)")
    let isEmbedded: Bool
    switch members["isEmbedded"] {
    case nil: isEmbedded = false
    case .bool(let value): isEmbedded = value
    case let other?:
      throw problem("isEmbedded of \(name): found \(other.kind), expected true or false")
    }
    let key = members["key"].flatMap { $0 == .null ? nil : $0 }
    return SchemaDocument.Class(
      name: name, isEmbedded: isEmbedded,
      key: try key.map { try property($0, "the key of \(name)") },
      properties: try array(members["properties"], "the properties of \(name)").enumerated().map {
        try property($1, "property \($0 + 1) of \(name)")
      })
  }

  private func property(_ value: JSONValue, _ place: String) throws -> SchemaDocument.Property {
    let members = try members(of: value, place, ["name", "type", "collection", "target"])
    func optional(_ name: String) throws -> String? {
      guard let value = members[name], value != .null else { return nil }
      return try text(value, "the \(name) of \(place)")
    }
    return SchemaDocument.Property(
      name: try text(members["name"], "the name of \(place)"),
      type: try text(members["type"], "the type of \(place)"),
      collection: try optional("collection"),
      target: try optional("target"))
  }

  private func members(
    of value: JSONValue, _ place: String, _ known: [String]
  ) throws -> [String: JSONValue] {
    guard case .object(let members) = value else {
      throw problem("\(place): found \(value.kind), expected an object")
    }
    var found: [String: JSONValue] = [:]
    for member in members {
      guard known.contains(member.name) else {
        throw problem(
          "\(place) has \"\(member.name)\", expected nothing but "
            + "\(known.joined(separator: ", ")); `atoll help schema` has the form")
      }
      guard found.updateValue(member.value, forKey: member.name) == nil else {
        throw problem("\(place) has \"\(member.name)\" twice")
      }
    }
    return found
  }

  private func array(_ value: JSONValue?, _ place: String) throws -> [JSONValue] {
    guard case .array(let elements)? = value else {
      throw problem("\(place): found \(value?.kind ?? "nothing"), expected an array")
    }
    return elements
  }

  private func text(_ value: JSONValue?, _ place: String) throws -> String {
    guard case .string(let text)? = value else {
      throw problem("\(place): found \(value?.kind ?? "nothing"), expected a text")
    }
    return text
  }
}
