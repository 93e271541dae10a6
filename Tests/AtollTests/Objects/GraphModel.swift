import Atoll
import Foundation

final class GraphStreet: EmbeddedObject {
  @Persisted var name: String
  @Persisted var number: Int
}

final class GraphDog: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age = 1
  @Persisted var home: URL?
}

final class GraphOwner: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = "nobody"
  @Persisted var nick: String?
  @Persisted var site: URL?
  @Persisted var place: Coordinate
  @Persisted var street: GraphStreet?
  @Persisted var dog: GraphDog?
  @Persisted var dogs: List<GraphDog>
  @Persisted var numbers: List<Int>
  @Persisted var partner: GraphOwner?
  @Persisted var friends: List<GraphOwner>
}

extension GraphOwner {
  static let types: [ObjectBase.Type] = [
    GraphOwner.self, GraphDog.self, GraphStreet.self, Location.self,
  ]
}

/// A class without a key.
final class GraphNote: Object {
  @Persisted var text: String
  @Persisted var next: GraphNote?
}

/// Required and failable, with a default, so that objects can be made.
final class GraphPage: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var link = TrapFixtures.url
  @Persisted var count: Wrapped
  @Persisted var links: List<URL>
  @Persisted var inner: GraphPage?
}

struct GraphPlan: Encodable {
  struct Street: Encodable {
    var name: String
    var number: Int
  }

  struct Dog: Encodable { var name: String }

  var id: Int
  var nick: String?
  var place: [Double]
  var street: Street
  var dogs: [Dog]
  var site: URL
}
