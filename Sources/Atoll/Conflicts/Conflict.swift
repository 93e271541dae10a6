import AtollStorage
import AtollVocabulary
public import Foundation

/// A write that was lost to another, neither having seen the other.
///
/// Replicas agree on which write holds; this says what the other one was. A value: it stays what it is
/// when the store moves on.
public struct Conflict: Identifiable {
  /// By which rule the write was lost.
  public enum Rule: Sendable, CaseIterable {
    /// The later time holds.
    case laterTime
    /// Of two writes of one time, the greater author's holds.
    case greaterAuthor
    /// A delete ends an object, whatever was written in it meanwhile.
    case deleted
    /// An embedded object, a projected value, a list or a map was replaced whole.
    case instanceReplaced
    /// A step by `increment(by:)` counts on the value it was made on, and that was replaced.
    case stepDropped
    /// An element was removed from its list for good.
    case elementRemoved
    /// An object that was deleted was made again by somebody who had not seen the delete.
    case recreated
  }

  /// One of the two writes.
  public struct Side {
    /// The persisted form; an embedded object is a dictionary of its fields.
    ///
    /// ``AnyValue/none`` also stands for what was removed, made or moved, for an object that is not there
    /// now, and for a value too large to be kept. Of a step it is what would have been added.
    public let value: AnyValue
    /// The value as text, which also tells these apart.
    public let text: String
    /// The author of the write, as `atoll log` names authors; nil if it is not known any more.
    public let author: String?
    /// By the writer's clock.
    public let date: Date?
  }

  /// Counts up; unique in this file.
  public let id: Int64
  /// The class of the object that was written in.
  public let className: String
  /// The primary key of the object; ``AnyValue/none`` for a class that declares none.
  public let primaryKey: AnyValue
  /// The way to what was written: `name`, `coordinate.latitude`, `tags["x"]`; empty for the object itself.
  public let propertyPath: String
  /// The rule by which the write was lost.
  public let rule: Rule
  /// The write that was lost.
  public let losing: Side
  /// The write that holds.
  public let winning: Side
}

extension Conflict {
  init(_ conflict: AtollStorage.Conflict, in store: Store) {
    id = conflict.number
    className = conflict.className
    primaryKey = Side.scalar(conflict.key)
    propertyPath = conflict.path
    rule = Rule(conflict.rule)
    losing = Side(conflict.losing, in: store)
    winning = Side(conflict.winning, in: store)
  }
}

extension Conflict.Rule {
  fileprivate init(_ rule: ConflictRule) {
    self =
      switch rule {
      case .laterTime: .laterTime
      case .greaterAuthor: .greaterAuthor
      case .deleted: .deleted
      case .instanceReplaced: .instanceReplaced
      case .stepDropped: .stepDropped
      case .elementRemoved: .elementRemoved
      case .recreated: .recreated
      }
  }
}

extension Conflict.Side {
  fileprivate init(_ side: ConflictSide, in store: Store) {
    value = Self.value(side.value, in: store)
    text = "\(side.value)"
    author = side.author.map { "\($0)" }
    date = side.time.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
  }

  fileprivate static func scalar(_ value: PersistedValue) -> AnyValue {
    AnyValue._decode(_Stored(value)) ?? .none
  }

  private static func value(_ value: LedgerValue, in store: Store) -> AnyValue {
    switch value {
    case .scalar(let scalar): self.scalar(scalar)
    case .link(let name, let key): store.target(name, key).map { .object($0) } ?? .none
    case .embedded(let fields):
      .fromDictionary(
        Dictionary(fields.map { ($0.name, self.value($0.value, in: store)) }) { $1 })
    case .list(let values), .set(let values):
      .fromArray(values.map { self.value($0, in: store) })
    case .map(let entries):
      .fromDictionary(
        Dictionary(entries.map { ($0.key, self.value($0.value, in: store)) }) { $1 })
    case .step(let amount): .int(Int(truncatingIfNeeded: amount))
    case .moved, .removed, .created, .omitted: .none
    }
  }
}

extension Store {
  /// The object that a link in the ledger leads to; nil if it is not there now.
  fileprivate func target(_ name: String, _ key: PersistedValue) -> Object? {
    guard let table = tables.first(where: { $0.model.name == name }) else { return nil }
    let row = attempt("looking up an object of class '\(name)'") {
      file throws(StorageError) in try file.row(of: table.classID, key: key)
    }
    return row.flatMap { table.object($0) as? Object }
  }
}
