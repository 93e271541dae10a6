import Atoll
import Foundation

final class GraphStreet: EmbeddedObject {
  @Persisted(.either) var name: String
  @Persisted(.either) var number: Int
}

final class GraphDog: Object {
  @Persisted(primaryKey: .either) var name: String
  @Persisted var age = 1
  @Persisted(.either) var home: URL?
}

final class GraphOwner: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted var name = "nobody"
  @Persisted(.either) var nick: String?
  @Persisted(.either) var site: URL?
  @Persisted(.either) var place: Coordinate
  @Persisted(.either) var street: GraphStreet?
  @Persisted(.either) var dog: GraphDog?
  @Persisted(.either) var dogs: List<GraphDog>
  @Persisted(.either) var numbers: List<Int>
  @Persisted(.either) var partner: GraphOwner?
  @Persisted(.either) var friends: List<GraphOwner>
}

extension GraphOwner {
  static let types: [ObjectBase.Type] = [
    GraphOwner.self, GraphDog.self, GraphStreet.self, Location.self,
  ]
}

/// A class without a key.
final class GraphNote: Object {
  @Persisted(.either) var text: String
  @Persisted(.either) var next: GraphNote?
}

/// Required and failable, with a default, so that objects can be made.
final class GraphPage: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted var link = TrapFixtures.url
  @Persisted(.either) var count: Wrapped
  @Persisted(.either) var links: List<URL>
  @Persisted(.either) var inner: GraphPage?
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
