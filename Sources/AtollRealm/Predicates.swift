public import Atoll
public import Foundation

// `NSPredicate` as applications have it. Foundation on Linux has the class and reads no text; here
// the text is kept with its arguments, and read when a collection is filtered.

/// A predicate with a text, made by `NSPredicate(format:)`; Foundation's class alone conforms.
///
/// An initializer of a class always makes an instance of that class; one of a protocol can return
/// one of a subclass.
public protocol _PredicateWithText { var predicateFormat: String { get } }

extension NSPredicate: _PredicateWithText {}

#if !canImport(ObjectiveC)
extension _PredicateWithText {
  /// A predicate with the text that `filter` reads; arguments are of mapped or persisted types.
  ///
  /// Evaluating it stops the process: only a store can say what the text means.
  public init(format: String, _ arguments: Any?...) {
    self.init(format: format, arguments: arguments)
  }

  /// A predicate with the text that `filter` reads, and its arguments in an array.
  public init(format: String, argumentArray: [Any]?) {
    self.init(format: format, arguments: argumentArray ?? [])
  }

  private init(format: String, arguments: [Any?]) {
    guard let predicate = TextPredicate(format, arguments) as? Self else {
      preconditionFailure("Only NSPredicate conforms to _PredicateWithText.")
    }
    self = predicate
  }
}

/// The text of a predicate and its arguments.
private final class TextPredicate: NSPredicate {
  let format: String
  let arguments: [Any?]

  init(_ format: String, _ arguments: [Any?]) {
    self.format = format
    self.arguments = arguments
    super.init(value: false)
  }

  required init?(coder: NSCoder) { nil }

  override var description: String { format }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool { object as AnyObject? === self }

  override var hash: Int { ObjectIdentifier(self).hashValue }

  override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    Self.stop(format)
  }

  override func evaluate(with object: Any?) -> Bool { Self.stop(format) }

  private static func stop(_ format: String) -> Never {
    Trap.stop(
      "Evaluating the predicate \"\(format)\", whose text only stores can read on this system. "
        + "Filter a collection of a store by it, or write the condition in Swift.")
  }
}
#endif

extension NSPredicate {
  /// The text that a collection reads, and the arguments for its places.
  ///
  /// Stops for a predicate made of a block, which has no text.
  var textAndArguments: (text: String, arguments: [Any?]) {
    if let compound = self as? NSCompoundPredicate { return compound.joined }
    #if !canImport(ObjectiveC)
    if let predicate = self as? TextPredicate { return (predicate.format, predicate.arguments) }
    #endif
    let text = (self as any _PredicateWithText).predicateFormat
    guard !text.hasPrefix("BLOCKPREDICATE") else {
      Trap.stop(
        "Filtering by a predicate made of a block, which a store cannot search by. Give it a text, "
          + "or write the condition with `where`.")
    }
    return (text, [])
  }
}

extension NSCompoundPredicate {
  fileprivate var joined: (text: String, arguments: [Any?]) {
    let parts = (subpredicates as [Any]).compactMap { ($0 as? NSPredicate)?.textAndArguments }
    let texts = parts.map { "(\($0.text))" }
    let arguments = parts.flatMap(\.arguments)
    switch compoundPredicateType {
    case .or: return (texts.isEmpty ? "FALSEPREDICATE" : texts.joined(separator: " OR "), arguments)
    case .not: return ("NOT " + texts.joined(separator: " AND "), arguments)
    default: return (texts.isEmpty ? "TRUEPREDICATE" : texts.joined(separator: " AND "), arguments)
    }
  }
}

extension RealmCollection where Element: Object {
  /// The objects that satisfy a predicate, in the collection's order.
  ///
  /// Stops if the text of the predicate cannot be read, or if it is made of a block.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    let (text, arguments) = predicate.textAndArguments
    return _objectResults("Filtering").filter(text, given: arguments)
  }

  /// The index of the first object that satisfies a predicate; nil if none does.
  public func index(matching predicate: NSPredicate) -> Int? {
    let (text, arguments) = predicate.textAndArguments
    let objects: Results<Element> = _objectResults("Filtering")
    return objects.index(matching: text, given: arguments)
  }
}

extension RealmCollection where Element: _PropertyValue {
  /// The values that satisfy a predicate, in which `SELF` is a value.
  public func filter(_ predicate: NSPredicate) -> ValueResults<Element> {
    let (text, arguments) = predicate.textAndArguments
    return _valueResults("Filtering").filter(text, given: arguments)
  }

  /// The index of the first value that satisfies a predicate; nil if none does.
  public func index(matching predicate: NSPredicate) -> Int? {
    let (text, arguments) = predicate.textAndArguments
    return _valueResults("Filtering").index(matching: text, given: arguments)
  }
}

extension Map where Value: _LinkValue {
  /// The objects that satisfy a predicate, by their keys.
  public func filter(_ predicate: NSPredicate) -> Results<Value._Target> {
    let (text, arguments) = predicate.textAndArguments
    return _objects("Filtering").filter(text, given: arguments)
  }
}

extension Map where Value: _PropertyValue {
  /// The values that satisfy a predicate, in which `SELF` is a value.
  public func filter(_ predicate: NSPredicate) -> ValueResults<Value> {
    let (text, arguments) = predicate.textAndArguments
    return values("Filtering").filter(text, given: arguments)
  }
}
