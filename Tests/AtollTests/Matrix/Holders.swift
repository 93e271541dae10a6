import Atoll

// One model class for each container, of any element. Generic classes are registered when a store
// is opened with them.

final class ListOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var elements: List<Element>
}

final class SetOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var elements: MutableSet<Element>
}

final class MapOf<Element: _ListElement>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var elements: Map<String, Element>
}

final class ValueOf<Value: _PropertyValue>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: Value
}
