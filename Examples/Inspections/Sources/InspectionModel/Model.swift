public import Atoll
public import Foundation

/// The urgency of a repair.
public enum Urgency: String, PersistableEnum, Sendable { case normal, soon, atOnce }

/// One thing to look at.
///
/// It lives in its inspection.
public final class CheckItem: EmbeddedObject {
  @Persisted public var text: String
  @Persisted public var isDone: Bool
}

/// The data of a photo; the picture itself is a file elsewhere.
public final class Photo: EmbeddedObject {
  @Persisted public var file: URL?
  @Persisted public var taken: Date
  @Persisted public var bytes: Int
}

/// An inspection of something in the field.
///
/// Inspectors write while nobody hears of them, so everything is declared by what is meant by a change:
/// defects are counted in steps, a coordinate is replaced whole, and each item of the checklist is one.
public final class Inspection: Object {
  /// The code on the thing: two inspectors who begin with one thing mean one inspection.
  @Persisted(primaryKey: true) public var code: String
  @Persisted(indexed: true) public var title: String
  @Persisted public var urgency: Urgency
  @Persisted public var place: Coordinate?
  @Persisted public var manual: URL?
  @Persisted public var checklist: List<CheckItem>
  @Persisted public var defects: Int
  @Persisted public var tags: MutableSet<String>
  @Persisted public var photos: List<Photo>
  /// Fields that inspectors add themselves.
  @Persisted public var extra: Map<String, AnyValue>
}
