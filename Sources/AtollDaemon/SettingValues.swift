import Foundation

/// Settings as text, each with the place it stands at.
///
/// A settings file has one `key = value` on a line; empty lines and lines that begin with `#` are
/// skipped. `store` and `peer` may stand several times.
struct SettingValues {
  /// The name of a setting in the file.
  enum Key: String, CaseIterable {
    case store
    case listen
    case peer
    case data
    case portFile = "port-file"
    case logLevel = "log-level"

    var isRepeatable: Bool { self == .store || self == .peer }
  }

  struct Value {
    var text: String
    /// Where it stands, for messages: `FILE:LINE, key`, or the flag.
    var place: String
  }

  private var values: [Key: [Value]] = [:]

  init() {}

  /// Reads a settings file.
  init(file path: String) throws(DaemonFailure) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .setting(
        place: path, problem: "the settings file could not be read: \(error.localizedDescription)")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      try read(line, at: "\(path):\(index + 1)")
    }
  }

  private mutating func read(_ line: Substring, at place: String) throws(DaemonFailure) {
    let line = line.trimmingCharacters(in: .whitespaces)
    if line.isEmpty || line.hasPrefix("#") { return }
    guard let equals = line.firstIndex(of: "=") else {
      throw .setting(place: place, problem: "found \"\(line)\", expected `key = value`")
    }
    let name = line[..<equals].trimmingCharacters(in: .whitespaces)
    let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    guard let key = Key(rawValue: name) else {
      let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
      throw .setting(place: place, problem: "there is no key \"\(name)\"; the keys are \(known)")
    }
    let placeOfKey = "\(place), \(name)"
    guard !value.isEmpty else { throw .setting(place: placeOfKey, problem: "the value is missing") }
    guard key.isRepeatable || values[key] == nil else {
      throw .setting(place: placeOfKey, problem: "this key stands twice; keep one")
    }
    values[key, default: []].append(Value(text: value, place: placeOfKey))
  }

  subscript(key: Key) -> [Value] { values[key] ?? [] }

  /// Takes a flag's values instead of the file's, if the flag was given.
  mutating func replace(_ key: Key, with texts: [String], from flag: String) {
    if !texts.isEmpty { values[key] = texts.map { Value(text: $0, place: flag) } }
  }
}
