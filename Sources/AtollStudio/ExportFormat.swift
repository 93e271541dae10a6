import AtollInspect
import Foundation
import Synchronization

/// The formats of a file of objects that the browser saves.
enum ExportFormat: String {
  case csv, jsonl

  private var type: String {
    switch self {
    case .csv: "text/csv; charset=utf-8"
    case .jsonl: "application/jsonl; charset=utf-8"
    }
  }

  /// The objects of one snapshot, as fast as the browser takes them.
  ///
  /// - Throws: `Refusal` for a parameter, and what the store throws before the first line.
  static func answer(
    of store: StudioStore, _ given: Parameters
  ) async throws -> StudioResponse {
    let (name, condition) = (
      try given.needed("class"), try given.text("where", upTo: 5000)
    )
    guard let format = ExportFormat(rawValue: try given.needed("format")) else {
      throw Refusal("The parameter `format` is csv or jsonl.")
    }
    // An error in the question is reported before the file begins.
    _ = try await store.ask { _ = try $0.objects(of: name, where: condition) }
    let pipe = Pipe()
    let path = store.path
    let thread = Thread {
      defer { pipe.finish() }
      guard let inspection = try? Inspection(path: path) else { return }
      defer { inspection.close() }
      try? format.write(inspection, name, condition, into: pipe)
    }
    thread.name = "atoll-studio-export"
    thread.start()
    var response = StudioResponse(
      .ok, format.type,
      .stream(
        AsyncStream {
          await pipe.next()
        } onCancel: {
          pipe.abandon()
        }))
    let file = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    response.headers["content-disposition"] = "attachment; filename=\"\(file).\(format.rawValue)\""
    return response
  }

  private func write(
    _ inspection: Inspection, _ name: String, _ condition: String?, into pipe: Pipe
  ) throws {
    var piece = ""
    func add(_ line: String) throws {
      piece += line
      guard piece.utf8.count >= Pipe.pieceBytes else { return }
      try pipe.write(Data(piece.utf8))
      piece = ""
    }
    try inspection.atOneMoment {
      let listing = try inspection.objects(of: name, where: condition)
      var failure: (any Error)?
      switch self {
      case .jsonl:
        try listing.forEachLine { line in
          if failure == nil { do { try add(line) } catch { failure = error } }
        }
      case .csv:
        try add(Self.line(listing.columns))
        try listing.forEach { cells in
          let line = Self.line(cells.map { $0.kind == .object ? "present" : $0.text })
          if failure == nil { do { try add(line) } catch { failure = error } }
        }
      }
      if let failure { throw failure }
    }
    try pipe.write(Data(piece.utf8))
  }

  /// One record after RFC 4180.
  private static func line(_ cells: [String]) -> String {
    let special: Set<Character> = [",", "\"", "\n", "\r", "\r\n"]
    return cells.map { cell in
      cell.contains(where: special.contains)
        ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
    }.joined(separator: ",") + "\n"
  }
}

/// A few pieces between a thread that reads a file and a browser that takes them.
private final class Pipe: Sendable {
  /// Nobody takes the pieces any more.
  struct Abandoned: Error {}

  private struct State {
    var pieces: [Data] = []
    var taker: CheckedContinuation<Data?, Never>?
    var isFinished = false
    var isAbandoned = false
  }

  static let pieceBytes = 64 << 10
  private static let pieceLimit = 8
  /// The time for which a version of the file is kept for a browser that takes nothing.
  private static let takeTimeout = DispatchTimeInterval.seconds(60)

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: Pipe.pieceLimit)

  /// Waits for room.
  ///
  /// - Throws: ``Abandoned`` if nobody takes the pieces.
  func write(_ piece: Data) throws {
    guard room.wait(timeout: .now() + Self.takeTimeout) == .success else {
      abandon()
      throw Abandoned()
    }
    try state.withLock { state in
      guard !state.isAbandoned else { throw Abandoned() }
      guard let taker = state.taker.take() else { return state.pieces.append(piece) }
      taker.resume(returning: piece)
    }
  }

  func finish() {
    state.withLock { state in
      state.isFinished = true
      state.taker.take()?.resume(returning: nil)
    }
  }

  func abandon() {
    state.withLock { state in
      state.isAbandoned = true
      state.taker.take()?.resume(returning: nil)
    }
    room.signal()
  }

  /// The next piece; nil at the end.
  func next() async -> Data? {
    await withCheckedContinuation { continuation in
      let piece: Data?? = state.withLock { state in
        if !state.pieces.isEmpty { return state.pieces.removeFirst() }
        if state.isFinished || state.isAbandoned { return .some(nil) }
        state.taker = continuation
        return nil
      }
      room.signal()
      if let piece { continuation.resume(returning: piece) }
    }
  }
}
