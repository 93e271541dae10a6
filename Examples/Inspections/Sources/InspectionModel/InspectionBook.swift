public import Atoll
public import Foundation

/// The inspections of one file: what an interface may do, and what it is shown.
///
/// The store stays in here; values come out.
public actor InspectionBook {
  private let configuration: Store.Configuration
  private var opened: Store?

  /// - Parameters:
  ///   - file: The store's file, which is made if it is not there.
  ///   - storeID: What all inspectors share; nil takes the file's own.
  ///   - node: How this one exchanges with the others.
  public init(file: URL, storeID: UUID? = nil, node: Store.Configuration.Node = .none) {
    var configuration = Store.Configuration(
      fileURL: file, storeID: storeID,
      objectTypes: [
        Inspection.self, CheckItem.self, Photo.self, StoredCoordinate.self,
      ])
    configuration.node = node
    self.configuration = configuration
  }

  private func store() async throws -> Store {
    if let opened { return opened }
    let store = try await Store.open(configuration: configuration)
    // Another call may have opened it meanwhile.
    if let opened { return opened }
    opened = store
    return store
  }

  public func close() {
    opened?.close()
    opened = nil
  }

  // MARK: Looking

  public func all() async throws -> [InspectionReport] {
    try await store().objects(Inspection.self).sorted(by: \.title).map(InspectionReport.init)
  }

  /// Those that have a text in their title or a tag.
  public func search(_ text: String) async throws -> [InspectionReport] {
    try await store().objects(Inspection.self)
      .where { $0.title.contains(text, options: .caseInsensitive) || $0.tags.contains(text) }
      .sorted(by: \.title).map(InspectionReport.init)
  }

  public func report(_ code: String) async throws -> InspectionReport? {
    try await store().object(ofType: Inspection.self, forPrimaryKey: code).map(
      InspectionReport.init)
  }

  public func conflicts() async throws -> [ConflictReport] {
    try await store().conflicts.map(ConflictReport.init)
  }

  /// Returns the address at which the node of this file listens; nil if it does not.
  public func address() async throws -> String? { try await store().sync.status().listening }

  public func sync() async throws -> Sync { try await store().sync }

  // MARK: Writing

  public func begin(_ code: String, title: String, checklist: [String] = []) async throws {
    try await write { store in
      let inspection = store.create(
        Inspection.self, value: ["code": code, "title": title], update: .modified)
      if inspection.checklist.isEmpty {
        inspection.checklist.append(objectsIn: checklist.map { CheckItem(value: ["text": $0]) })
      }
    }
  }

  public func rename(_ code: String, to title: String) async throws {
    try await change(code) { $0.title = title }
  }

  public func locate(_ code: String, at place: Coordinate?, manual: URL?) async throws {
    try await change(code) { inspection in
      if let place { inspection.place = place }
      if let manual { inspection.manual = manual }
    }
  }

  public func mark(_ code: String, _ urgency: Urgency) async throws {
    try await change(code) { $0.urgency = urgency }
  }

  public func check(_ code: String, item: Int, isDone: Bool) async throws {
    try await change(code) { inspection in
      guard inspection.checklist.indices.contains(item) else {
        throw BookError("\(code) has no item \(item + 1), only \(inspection.checklist.count)")
      }
      inspection.checklist[item].isDone = isDone
    }
  }

  public func countDefects(_ code: String, _ amount: Int) async throws {
    try await change(code) { try $0.$defects.increment(checkingBy: amount) }
  }

  public func tag(_ code: String, _ tag: String) async throws {
    try await change(code) { $0.tags.insert(tag) }
  }

  public func note(_ code: String, _ field: String, _ value: FieldValue) async throws {
    try await change(code) { $0.extra[field] = value.stored }
  }

  public func photograph(_ code: String, _ file: URL, bytes: Int) async throws {
    try await change(code) { inspection in
      inspection.photos.append(Photo(value: ["file": file, "bytes": bytes] as [String: Any]))
    }
  }

  /// Gives a lost value back to its property.
  public func restore(conflict id: Int64) async throws {
    try await write { store in
      guard let conflict = store.conflicts.first(where: { $0.id == id }) else {
        throw BookError("there is no conflict \(id) any more")
      }
      try store.conflicts.restore(conflict)
    }
  }

  private func change(
    _ code: String, _ body: @Sendable (Inspection) throws -> Void
  ) async throws {
    try await write { store in
      guard let inspection = store.object(ofType: Inspection.self, forPrimaryKey: code) else {
        throw BookError("there is no inspection \(code)")
      }
      try body(inspection)
    }
  }

  private func write(_ body: (Store) throws -> Void) async throws {
    let store = try await store()
    try await store.asyncWrite { try body(store) }
  }
}

/// An action that cannot be done, for people.
public struct BookError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
