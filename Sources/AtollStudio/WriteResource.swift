import AtollEdit
import AtollInspect
import AtollStorage
import Foundation

/// The writable resources of a store, by the last parts of their address.
enum WriteResource: String, CaseIterable {
  case edits, undo
  case restore = "conflicts/restore"
  case dismiss = "conflicts/dismiss"
  case accept = "peers/accept"
  case remove = "peers/remove"
  case retire = "peers/retire"
  case readmit = "peers/readmit"
  case admit = "peers/admit"
  case removeReplica = "peers/remove-replica"
  case pause = "peers/pause"
  case resume = "peers/resume"
  case verify, compact, backup

  /// Only looks at the store, and so may be asked of one that nobody may change here.
  var onlyReads: Bool { self == .verify }

  private struct Outcome: Encodable {
    let edits: Int
    let skipped: Int
    let canUndo: Bool

    init(_ outcome: EditOutcome) {
      (edits, skipped, canUndo) = (outcome.edits, outcome.skipped, outcome.canUndo)
    }
  }

  /// The one that was accepted, admitted, removed, retired or readmitted.
  private struct Named: Encodable {
    let name: String
  }

  private struct Compacted: Encodable {
    let before: Int64
    let after: Int64
  }

  /// There is nothing more to tell.
  private struct Done: Encodable {}

  private struct Numbers: Decodable {
    let numbers: [Int64]
  }

  private struct Subject: Decodable {
    var identity: String?
    var replica: String?
    var path: String?
    var isForced: Bool?
  }

  /// - Throws: `Refusal` for the body, `EditError`, `OperatingError`, and what the store throws.
  func answer(of store: StudioStore, _ body: Data) async throws -> StudioResponse {
    switch self {
    case .edits:
      let edits = try StoreEdit.edits(in: body)
      return try .json(await store.edit { Outcome(try $0.write(edits)) })
    case .undo:
      let isForced = try Self.read(Subject.self, body).isForced ?? false
      return try .json(await store.edit { Outcome(try $0.undo(isForced: isForced)) })
    case .restore:
      let numbers = try Self.read(Numbers.self, body).numbers
      return try .json(await store.edit { Outcome(try $0.restoreConflicts(numbers)) })
    case .dismiss:
      let numbers = try Self.read(Numbers.self, body).numbers
      return try .json(await store.edit { Outcome(try $0.dismissConflicts(numbers)) })
    case .accept:
      let identity = try Self.needed(\.identity, "identity", body)
      return try .json(await store.edit { Named(name: try $0.accept(identity).name) })
    case .remove:
      let identity = try Self.needed(\.identity, "identity", body)
      return try .json(await store.edit { Named(name: try $0.remove(identity).name) })
    case .retire:
      let replica = try Self.needed(\.replica, "replica", body)
      return try .json(await store.edit { Named(name: try $0.retire(replica)) })
    case .readmit:
      let replica = try Self.needed(\.replica, "replica", body)
      return try .json(await store.edit { Named(name: try $0.readmit(replica)) })
    case .admit:
      let replica = try Self.needed(\.replica, "replica", body)
      return try .json(
        await store.edit { Named(name: try $0.admit(replica).replica) })
    case .removeReplica:
      let replica = try Self.needed(\.replica, "replica", body)
      return try .json(await store.edit { Named(name: try $0.remove(replica: replica).replica) })
    case .pause:
      try await store.edit { try $0.pause() }
      return try .json(Done())
    case .resume:
      try await store.edit { try $0.resume() }
      return try .json(Done())
    case .verify:
      let path = store.path
      return try .json(await store.ask(.work) { _ in try Inspection.verification(ofStoreAt: path) })
    case .compact:
      return try .json(
        await store.edit { editor in
          let (before, after) = try editor.compact()
          return Compacted(before: before, after: after)
        })
    case .backup:
      let path = try Self.needed(\.path, "path", body)
      return try .json(
        await store.edit { editor in
          try editor.backUp(to: path)
          return Named(name: path)
        })
    }
  }

  private static func read<Value: Decodable>(
    _ type: Value.Type, _ body: Data
  ) throws(Refusal) -> Value {
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch {
      throw Refusal("The body is no JSON of the form that this address takes; see openapi.yaml.")
    }
  }

  private static func needed(
    _ member: KeyPath<Subject, String?>, _ name: String, _ body: Data
  ) throws(Refusal) -> String {
    guard let text = try read(Subject.self, body)[keyPath: member], !text.isEmpty else {
      throw Refusal("The body lacks \"\(name)\".")
    }
    return text
  }
}
