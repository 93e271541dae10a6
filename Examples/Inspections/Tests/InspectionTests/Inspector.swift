import Foundation
import FoundationNetworking
import InspectionModel
import Testing

/// An inspector with a file and, while it runs, a program that serves it.
final class Inspector {
  let file: String
  private let storeID: UUID
  private var process: Process?
  private(set) var pages = ""
  /// The address to which others connect; empty if it does not listen.
  private(set) var address = ""

  init(_ name: String, in folder: URL, storeID: UUID) {
    file = folder.appendingPathComponent("\(name).atoll").path
    self.storeID = storeID
  }

  // MARK: Serving

  func start(listening: Bool = false, peer: String? = nil) async throws {
    var arguments = ["serve", file, "--port", "0", "--store-id", storeID.uuidString]
    if listening { arguments += ["--listen", "127.0.0.1:0"] }
    if let peer { arguments += ["--peer", peer] }
    let (process, output) = try Self.launch(arguments)
    self.process = process
    let text = try await within(.seconds(60)) {
      await output.fileHandleForReading.bytes(until: "pages at ")
    }
    address = Self.word(after: "exchanging at ", in: text)
    pages = Self.word(after: "pages at ", in: text)
    #expect(address.isEmpty != listening)
    try #require(pages.hasPrefix("http://127.0.0.1:"), "\(text)")
  }

  /// Asks the program to end, and waits until it has.
  func stop() async throws {
    guard let process else { return }
    process.terminate()
    try await eventually { !process.isRunning }
    #expect(process.terminationStatus == 0)
    self.process = nil
  }

  func kill() {
    if let process, process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  // MARK: In the browser

  func inspection(_ code: String) async throws -> InspectionReport? {
    try await get([InspectionReport].self, "api/inspections").first { $0.code == code }
  }

  func conflicts() async throws -> [ConflictReport] {
    try await get([ConflictReport].self, "api/conflicts")
  }

  func page(_ path: String) async throws -> String {
    let (data, _) = try await URLSession.shared.data(from: try address(of: path))
    return String(decoding: data, as: UTF8.self)
  }

  /// Sends a form that must be taken.
  func submit(_ path: String, _ form: [String: String] = [:]) async throws {
    #expect(try await post(path, form) == 200, "\(path)")
  }

  func post(_ path: String, _ form: [String: String], origin: String? = nil) async throws -> Int {
    var request = URLRequest(url: try address(of: path))
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
    let fields = form.map { field in
      let value = field.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      return "\(field.key)=\(value)"
    }
    request.httpBody = Data(fields.joined(separator: "&").utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }

  private func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
    let (data, _) = try await URLSession.shared.data(from: try address(of: path))
    return try JSONDecoder().decode(type, from: data)
  }

  private func address(of path: String) throws -> URL {
    try #require(URL(string: pages + path))
  }

  // MARK: In the terminal

  /// Runs a command on the file and gives what it prints.
  func run(_ command: String, _ arguments: String...) async throws -> String {
    let (process, output) = try Self.launch([command, file] + arguments)
    let text = try await within(.seconds(60)) {
      await output.fileHandleForReading.bytes(until: nil)
    }
    try await eventually { !process.isRunning }
    #expect(process.terminationStatus == 0, "\(command): \(text)")
    return text
  }

  private static func launch(_ arguments: [String]) throws -> (Process, Pipe) {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("inspections")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }

  private static func word(after start: String, in text: String) -> String {
    guard let range = text.range(of: start) else { return "" }
    return String(text[range.upperBound...].prefix { !$0.isWhitespace })
  }
}

extension FileHandle {
  /// Reads until a line has begun with a text and ended, or to the end.
  func bytes(until start: String?) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var data = Data()
        while case let new = availableData, !new.isEmpty {
          data += new
          let text = String(decoding: data, as: UTF8.self)
          if let start, let range = text.range(of: start), text[range.upperBound...].contains("\n")
          {
            break
          }
        }
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }
}

/// Something did not come about in time.
struct TimeOut: Error {
  var line = 0
}

/// Waits for something, with a bound.
func within<Value: Sendable>(
  _ bound: Duration, _ body: @escaping @Sendable () async -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { await body() }
    group.addTask {
      try await Task.sleep(for: bound)
      throw TimeOut()
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw TimeOut() }
    return value
  }
}

/// Waits until a condition holds.
func eventually(
  _ bound: Duration = .seconds(30), line: Int = #line, _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + bound
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw TimeOut(line: line) }
    try await Task.sleep(for: .milliseconds(20))
  }
}
