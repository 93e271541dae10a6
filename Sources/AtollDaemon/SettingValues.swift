import AtollVocabulary
import Foundation

/// Settings as text, each with the place it stands at: flags over the environment over the file.
///
/// A settings file has one `key = value` on a line; empty lines and lines that begin with `#` are
/// skipped. Whatever cannot be read becomes one of ``problems``, and the rest is read all the same.
struct SettingValues {
  struct Value: Hashable {
    var text: String
    /// The place, for messages: `FILE:LINE, key`, the variable, or the flag.
    var place: String
  }

  private(set) var problems: [SettingProblem] = []
  private var values: [SettingKey: [Value]] = [:]

  /// Reads all three sources.
  ///
  /// - Parameters:
  ///   - file: The path of the settings file; nil if the environment names it, or there is none.
  ///   - environment: Of which variables that begin with `ATOLLD_` are read.
  ///   - flags: Those that were given, with their values.
  init(
    file: String? = nil, environment: [String: String] = [:], flags: [SettingKey: [String]] = [:]
  ) {
    if let path = file ?? environment[SettingKey.fileVariable] { read(file: path) }
    read(environment)
    for key in SettingKey.allCases {
      let texts = flags[key] ?? []
      if !texts.isEmpty { values[key] = texts.map { Value(text: $0, place: key.flag) } }
    }
  }

  subscript(key: SettingKey) -> [Value] { values[key] ?? [] }

  /// Takes a value instead of what was given.
  mutating func replace(_ key: SettingKey, with text: String, from place: String) {
    values[key] = [Value(text: text, place: place)]
  }

  // MARK: The file

  private mutating func read(file path: String) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      let reason = error.localizedDescription
      return record(path, "the settings file could not be read: \(reason)")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      read(line, at: "\(path):\(index + 1)")
    }
  }

  private mutating func read(_ line: Substring, at place: String) {
    let line = line.trimmingCharacters(in: .whitespaces)
    if line.isEmpty || line.hasPrefix("#") { return }
    guard let equals = line.firstIndex(of: "=") else {
      return record(place, "found \"\(line)\", expected `key = value`")
    }
    let name = line[..<equals].trimmingCharacters(in: .whitespaces)
    let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    guard let key = SettingKey(rawValue: name) else {
      let names = SettingKey.allCases.map(\.rawValue)
      return record(place, "there is no key \"\(name)\"; \(Self.advice(name, names))")
    }
    let placeOfKey = "\(place), \(name)"
    guard !value.isEmpty else { return record(placeOfKey, "the value is missing") }
    guard key.isRepeatable || values[key] == nil else {
      return record(placeOfKey, "this key stands twice; keep one")
    }
    values[key, default: []].append(Value(text: value, place: placeOfKey))
  }

  // MARK: The environment

  private mutating func read(_ environment: [String: String]) {
    for key in SettingKey.allCases {
      guard let text = environment[key.variable] else { continue }
      let parts = key.isRepeatable ? text.split(separator: ",").map(String.init) : [text]
      let texts = parts.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      if texts.isEmpty {
        record(key.variable, "the value is missing; unset the variable to leave it out")
      } else {
        values[key] = texts.map { Value(text: $0, place: key.variable) }
      }
    }
    let known = SettingKey.allCases.map(\.variable) + [SettingKey.fileVariable]
    for name in environment.keys.sorted() where name.hasPrefix(SettingKey.variablePrefix) {
      guard !known.contains(name) else { continue }
      record(name, "there is no such setting; \(Self.advice(name, known))")
    }
  }

  private static func advice(_ name: String, _ names: [String]) -> String {
    NearestName.of(name, among: names).map { "did you mean \"\($0)\"?" }
      ?? "there are \(names.joined(separator: ", "))"
  }

  private mutating func record(_ place: String, _ text: String) {
    problems.append(SettingProblem(place: place, text: text))
  }
}

/// One thing that is wrong with the settings.
struct SettingProblem: Hashable, CustomStringConvertible {
  /// The place of the setting.
  var place: String
  /// The finding, the expectation, and the remedy.
  var text: String

  var description: String { "\(place): \(text)" }
}
