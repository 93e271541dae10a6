import AtollEdit
import AtollInspect
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation

/// The routes: the site, and the API that `openapi.yaml` describes.
struct Routes: Sendable {
  let stores: [StudioStore]
  let isReadOnly: Bool
  /// A folder that the site is read from instead, to work on it.
  var siteFolder: String?

  static let prefix = "/api/v1/"

  /// The answer to a request that the gate has let pass.
  func answer(to request: StudioRequest) async -> StudioResponse {
    guard request.path.hasPrefix(Self.prefix) else {
      return request.method == .post ? Self.notAllowed("GET") : file(request.path)
    }
    let parts = request.path.dropFirst(Self.prefix.count).split(
      separator: "/", omittingEmptySubsequences: false)
    do {
      return try await answer(parts.map(String.init), request)
    } catch {
      return Self.refusal(of: error)
    }
  }

  private func file(_ path: String) -> StudioResponse {
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    guard let file = SiteFile.named(name, in: siteFolder) else {
      return .refusal(.notFound, Refusal("There is nothing at \(path.prefix(100))."))
    }
    var response = StudioResponse(.ok, file.type, .bytes(file.data))
    // The browser asks for all that the first page needs at once, instead of one after the other as they import each other.
    if name == "index.html" { response.headers["link"] = SiteFile.firstPage }
    return response
  }

  static func notAllowed(_ method: String) -> StudioResponse {
    var response = StudioResponse.refusal(
      .methodNotAllowed, Refusal("This is answered to \(method) only."))
    response.headers["allow"] = method
    return response
  }

  private func answer(
    _ parts: [String], _ request: StudioRequest
  ) async throws -> StudioResponse {
    if parts == ["session"] {
      guard request.method != .post else { return Self.notAllowed("GET") }
      return try .json(await session())
    }
    guard parts.count >= 3, parts[0] == "stores", let number = Int(parts[1]),
      stores.indices.contains(number)
    else { return .refusal(.notFound, Refusal("The API has nothing at this address.")) }
    let resource = parts[2...].joined(separator: "/")
    if let read = ReadResource(rawValue: resource) {
      guard request.method != .post else { return Self.notAllowed("GET") }
      return try await read.answer(of: stores[number], Parameters(query: request.query))
    }
    if let write = WriteResource(rawValue: resource) {
      guard request.method == .post else { return Self.notAllowed("POST") }
      guard !isReadOnly || write.onlyReads else {
        return .refusal(
          .forbidden, Refusal("The studio was started with --read-only; nothing was changed."))
      }
      return try await write.answer(of: stores[number], request.body)
    }
    return .refusal(.notFound, Refusal("The API has nothing at this address."))
  }

  // MARK: The session

  private struct Session: Encodable {
    struct Store: Encodable {
      let number: Int
      let name: String
      let path: String
      let replica: String
      let replicaName: String?
      let storeID: String
    }

    let version: String
    let isReadOnly: Bool
    let stores: [Store]
  }

  /// The name of the file, with its folder where several have one name.
  private func name(of store: StudioStore) -> String {
    let parts = URL(fileURLWithPath: store.path).pathComponents
    let isOnly = stores.filter { $0.path.hasSuffix("/\(parts.last ?? "")") }.count < 2
    return parts.suffix(isOnly ? 1 : 2).joined(separator: "/")
  }

  private func session() async throws -> Session {
    var described: [Session.Store] = []
    for store in stores {
      let status = try await store.ask { try $0.status($0.service) }
      described.append(
        Session.Store(
          number: store.number, name: name(of: store),
          path: store.path, replica: status.replica, replicaName: status.name,
          storeID: status.store))
    }
    return Session(version: Release.version, isReadOnly: isReadOnly, stores: described)
  }

  // MARK: Errors

  private static func status(of error: EditError) -> StudioResponse.Status {
    switch error {
    case .malformed, .wrongCount: .badRequest
    case .notInCSV, .refused, .nothingToUndo, .changedSince, .gone: .conflict
    }
  }

  /// An error in the words that the command line has for it.
  static func refusal(of error: any Error) -> StudioResponse {
    switch error {
    case let refusal as Refusal: return .refusal(.badRequest, refusal)
    case let error as PredicateTextError:
      return .refusal(
        .badRequest,
        Refusal("\(error)", offset: error.offset, length: max(error.found.count, 1)))
    case let error as EditError: return .refusal(Self.status(of: error), Refusal("\(error)"))
    case let error as OperatingError: return .refusal(.conflict, Refusal("\(error)"))
    case let error as InspectionError: return .refusal(.notFound, Refusal("\(error)"))
    case is StudioStore.Busy:
      return .refusal(.busy, Refusal("Too many questions wait for this store; ask again later."))
    case let error as StorageError:
      switch error {
      case .locked: return .refusal(.busy, Refusal("\(error)"))
      case .tooComplex: return .refusal(.badRequest, Refusal("\(error)"))
      case .noSuchConflict: return .refusal(.notFound, Refusal("\(error)"))
      case .noSuchClass, .noSuchObject, .noSuchProperty, .noSuchElement, .noSuchInstance:
        return .refusal(.notFound, Refusal("\(error)"))
      case .wrongPath, .notWritable, .inUse, .notYet:
        return .refusal(.conflict, Refusal("\(error)"))
      case .alreadyThere: return .refusal(.conflict, Refusal("\(error)"))
      case _: return .refusal(.failed, Refusal("\(error)"))
      }
    case _: return .refusal(.failed, Refusal("Atoll made a mistake: \(type(of: error))."))
    }
  }
}
