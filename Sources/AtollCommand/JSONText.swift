import AtollVocabulary

/// JSON on one line, members in the order given.
enum JSONText {
  indirect enum Value {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([Value])
    case object([Member])
  }

  typealias Member = (name: String, value: Value)

  /// The value without line breaks.
  static func line(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .integer(let number): String(number)
    case .number(let number): number.isFinite ? String(number) : "\"\(number)\""
    case .string(let text): quoted(text)
    case .array(let values): "[" + values.map(line).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { quoted($0.name) + ":" + line($0.value) }.joined(separator: ",") + "}"
    }
  }

  /// A string in quotes; control characters escaped, everything else as it is.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        result += "\\u00" + Hexadecimal.text(bytes: [UInt8(scalar.value)])
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSONText.Value {
  /// A string, or null where there is none.
  static func optional(_ text: String?) -> JSONText.Value { text.map { .string($0) } ?? .null }

  /// A count, or null where there is none.
  static func optional(_ count: (some BinaryInteger)?) -> JSONText.Value {
    count.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// Numbers and strings as themselves; data, UUIDs and ids as text; NaN and infinities as strings.
  init(_ value: PersistedValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .integer(number)
    case .float(let number): self = .number(Double("\(number)") ?? Double(number))
    case .double(let number), .date(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .string(Hexadecimal.text(bytes: bytes))
    case .uuid(let bytes): self = .string("\(bytes)")
    case .objectId(let id): self = .string("\(id)")
    case .identity(let identity): self = .string("\(identity)")
    }
  }
}
