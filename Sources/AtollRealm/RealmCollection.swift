/// What is common to collections of objects or values: lists, sets, results and linking objects.
public protocol RealmCollection: RandomAccessCollection where Index == Int {
  /// The store that manages the collection; nil for an unmanaged one.
  var realm: Realm? { get }
}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}

extension Results: RealmCollection {
  /// Realm's name of ``Atoll/Results/store``.
  public var realm: Realm? { store }
}

extension LinkingObjects: RealmCollection {
  /// Realm's name of ``Atoll/LinkingObjects/store``.
  public var realm: Realm? { store }
}

/// A collection of which only the elements' type is known.
public struct AnyRealmCollection<Element>: RealmCollection {
  public let realm: Realm?
  private let elementCount: () -> Int
  private let element: (Int) -> Element

  /// Hides which collection it is; what is read stays live.
  public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
    realm = base.realm
    elementCount = { base.count }
    element = { base[$0] }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elementCount() }

  public subscript(index: Int) -> Element { element(index) }
}
