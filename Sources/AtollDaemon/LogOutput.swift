import AtollVocabulary
import Foundation
import Logging
import Synchronization

/// The output of log lines; its level and format may change at any time.
final class LogOutput: Sendable {
  private struct State {
    var level: Logger.Level
    var format: LogFormat
  }

  private let state: Mutex<State>
  private let file: FileHandle
  /// True if the reader of standard error is systemd's journal, which takes a priority before a line.
  private let isJournal: Bool

  init(
    level: Logger.Level = .info, format: LogFormat = .text, to file: FileHandle = .standardError,
    isJournal: Bool = false
  ) {
    state = Mutex(State(level: level, format: format))
    self.file = file
    self.isJournal = isJournal
  }

  /// A logger that writes here.
  var logger: Logger { Logger(label: "atolld") { _ in LogLines(output: self) } }

  var level: Logger.Level { state.withLock { $0.level } }

  /// Writes lines of other levels, and in another way, from now on.
  func change(level: Logger.Level, format: LogFormat) {
    state.withLock { $0 = State(level: level, format: format) }
  }

  /// Tells whoever started the daemon something on standard output: the words alone, or where lines are
  /// JSON, a line like all others, since both outputs often end in one log.
  func announce(_ words: String) {
    let text =
      switch state.withLock({ $0.format }) {
      case .text: words
      case .json: LogLine(time: Date(), level: .info, message: words, metadata: [:]).json
      }
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
  }

  func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
    let line = LogLine(time: Date(), level: level, message: message, metadata: metadata)
    let text =
      switch state.withLock({ $0.format }) {
      case .text: line.text
      case .json: line.json
      }
    let priority = isJournal ? "<\(level.priority)>" : ""
    try? file.write(contentsOf: Data("\(priority)\(text)\n".utf8))
  }
}

/// One log line, before it is written.
struct LogLine {
  let time: Date
  let level: Logger.Level
  let message: String
  let metadata: Logger.Metadata

  /// For people: what a peer said cannot begin a line of its own.
  var text: String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let shown = pairs.isEmpty ? "" : " [\(pairs.dropFirst())]"
    return "\(stamp) \(level.rawValue): \(message)\(shown)".shownOnOneLine
  }

  /// For programs: members in alphabetical order, values as strings.
  var json: String {
    var members = metadata.mapValues { "\($0)" }
    members["time"] = stamp
    members["level"] = level.rawValue
    members["message"] = message
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(members) else { return "{}" }
    return String(decoding: data, as: UTF8.self).shownAsJSON
  }

  private var stamp: String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// The handler of every logger of the process.
private struct LogLines: LogHandler {
  let output: LogOutput
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  /// That of the output: it may change while loggers are kept.
  var logLevel: Logger.Level {
    get { output.level }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    output.write(event.level, "\(event.message)", all)
  }
}

extension Logger.Level {
  /// After `syslog(3)`, as the journal reads it.
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
