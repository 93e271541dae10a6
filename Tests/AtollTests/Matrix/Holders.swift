import Atoll

// One model class for each container, of any element. Generic classes are registered when a store
// is opened with them.

final class ListOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var elements: List<Element>
}

final class SetOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var elements: MutableSet<Element>
}

final class MapOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var elements: Map<String, Element>
}

final class ValueOf<Value: _PropertyValue>: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value: Value
}
