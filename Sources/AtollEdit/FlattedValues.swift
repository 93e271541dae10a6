import AtollVocabulary

/// The values of a file that the library flatted wrote: an array, in which strings inside a value are the
/// indices of other values, as decimal digits.
///
/// They are kept as they stand and read when they are asked for, so that memory is that of the file, and
/// 16 bytes for each value.
struct FlattedValues {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  var count: Int { ends.count }

  /// Appends the next value of the file.
  ///
  /// - Throws: `ImportProblem` if they become too many bytes to be kept.
  mutating func append(_ piece: JSONPieces.Piece) throws {
    guard bytes.count + piece.bytes.count <= Limits.importFlattedBytes else {
      throw ImportProblem(
        line: piece.line,
        text: "a file of this form has to be read whole, and is longer than "
          + "\(Limits.importFlattedBytes) bytes; export class by class")
    }
    bytes += piece.bytes
    ends.append(bytes.count)
  }

  /// Reads a value.
  ///
  /// - Throws: `Importer.Problem` if it is no JSON, or if there is none.
  func value(_ index: Int) throws -> JSONValue {
    guard ends.indices ~= index else {
      throw Importer.Problem(text: "found the index \(index), expected one below \(count)")
    }
    let start = index == 0 ? 0 : ends[index - 1]
    do throws(JSONProblem) {
      return try JSONValue(bytes[start..<ends[index]], levels: Limits.importLevels)
    } catch {
      throw Importer.Problem(
        text: "value \(index) of the file, at its byte \(error.offset + 1): expected "
          + error.expected)
    }
  }

  /// The index that a string inside a value is.
  static func index(_ text: String) -> Int? {
    guard text.utf8.count < 19, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}

/// The objects of a flatted file, class after class.
struct FlattedRecords {
  private let form: RealmForm
  /// Classes, each with the value that is the array of its objects.
  private var classes: [(name: String, array: JSONValue)]
  private var elements: (name: String, values: [JSONValue], next: Int)?

  /// - Throws: `ImportProblem` if the first value is neither an object of arrays nor an array.
  init(_ values: FlattedValues, className: String) throws {
    form = RealmForm(flatted: values)
    let root = try Self.reading { try values.value(0) }
    switch root {
    case .array: classes = [(className, root)]
    case .object(let members):
      guard Set(members.map(\.name)).count == members.count else {
        throw ImportProblem(line: 1, text: "a class is there twice, expected each once")
      }
      classes = members.reversed().map { ($0.name, $0.value) }
    case .null, .bool, .number, .string:
      throw ImportProblem(
        line: 1, text: "the first value is \(root.kind), expected the classes or their objects")
    }
  }

  mutating func next() throws -> RealmReader.Record? {
    while true {
      if let (name, values, index) = elements, index < values.count {
        elements?.next += 1
        let node = try Self.reading { try form.node(values[index]) }
        return RealmReader.Record(className: name, line: 1, node: node, form: form)
      }
      guard let (name, array) = classes.popLast() else { return nil }
      let found = try Self.reading { try form.node(array).value }
      guard case .array(let values) = found else {
        throw ImportProblem(
          line: 1, text: "\(name.prefix(64)): found \(found.kind), expected an array of objects")
      }
      elements = (name, values, 0)
    }
  }

  private static func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let problem as Importer.Problem {
      throw ImportProblem(line: 1, text: problem.text)
    }
  }
}

/// A value of a file, and in a flatted one its index.
struct RealmNode: Hashable {
  let value: JSONValue
  var index: Int?
}

/// The structure that leads from a file's values to those inside them.
struct RealmForm {
  var flatted: FlattedValues?

  /// A value that stands inside another.
  ///
  /// - Throws: `Importer.Problem` for an index that leads nowhere.
  func node(_ inner: JSONValue) throws -> RealmNode {
    guard let flatted, case .string(let text) = inner else { return RealmNode(value: inner) }
    guard let index = FlattedValues.index(text) else {
      throw Importer.Problem(text: "found \(inner.kind), expected the index of a value")
    }
    return RealmNode(value: try flatted.value(index), index: index)
  }

  /// A small value with all that is in it but arrays.
  ///
  /// - Throws: `Importer.Problem` for an index that leads nowhere, or values inside themselves.
  func whole(_ value: JSONValue, levels: Int = 6) throws -> JSONValue {
    guard flatted != nil else { return value }
    guard levels > 0 else {
      throw Importer.Problem(text: "values stand too deep inside each other")
    }
    func inner(_ value: JSONValue) throws -> JSONValue {
      try whole(try node(value).value, levels: levels - 1)
    }
    switch value {
    case .object(let members) where members.count <= 4:
      return .object(try members.map { .init(name: $0.name, value: try inner($0.value)) })
    case .object, .array, .null, .bool, .number, .string: return value
    }
  }
}
