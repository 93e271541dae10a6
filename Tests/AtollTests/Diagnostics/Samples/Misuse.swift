// Forms that people write at first, and the compiler's messages. `DiagnosticsTests` compiles it.
// `DiagnosticsTests` compiles it.

import Atoll
import Foundation

enum Kind: String, PersistableEnum { case a, b }

final class Dog: Object {
  @Persisted var name: String
  @Persisted var owner: Owner  // a link can be nil: declare the property as an optional
}

final class Owner: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var nick: String?
  @Persisted var kind: Kind
  @Persisted var dog: Dog?
  @Persisted var dogs: List<Dog>
}

func conditions(_ owners: Results<Owner>) {
  _ = owners.where { $0.name.hasPrefix("a") }  // renamed to 'starts(with:)'
  _ = owners.where { $0.nick.hasSuffix("a") }  // renamed to 'ends(with:)'
  _ = owners.where { $0.name.lowercased() == "a" }  // '.equals("a", options: .caseInsensitive)'
  _ = owners.where { $0.nick.uppercased() == "A" }  // '.equals("a", options: .caseInsensitive)'
  _ = owners.where { $0.dogs.first.name == "a" }  // ask an element by its index: '[0]'
  _ = owners.where { $0.dogs.last.name == "a" }  // ask an element by its index from the end: '[-1]'
  _ = owners.where { $0.dogs.contains { $0.name == "a" } }  // ask the elements' properties
  _ = owners.where { $0.dogs.contains(where: { $0.name == "a" }) }  // ask the elements' properties
  _ = owners.where { $0.dogs.filter { $0.name == "a" }.count > 0 }  // ask the elements' properties
  _ = owners.where { $0.name == nil }  // a property that is not optional is never nil
  _ = owners.where { $0.name != nil }  // a property that is not optional is never nil
  _ = owners.where { ["a", "b"].contains($0.name) }  // ask the property: '$0.name.in(["a", "b"])'
  _ = owners.where { (1...3).contains($0.id) }  // '$0.age.contains(1...3)'
  _ = owners.where { $0.nick == nil && $0.dog != nil && $0.dogs.isEmpty && !$0.name.isEmpty }
}

func orders(_ owners: Results<Owner>) {
  _ = owners.sorted(by: "name")  // renamed to 'sorted(byKeyPath:ascending:)'
  _ = owners.sorted(byKeyPath: \.name)  // renamed to 'sorted(by:ascending:)'
  _ = owners.sorted(by: \.dog)  // objects are ordered by what is stored as a number, text, date
  _ = owners.sorted(by: \.dogs)  // objects are ordered by what is stored as a number, text, date
  _ = owners.distinct(by: \.name)  // name the properties in an array: 'distinct(by: [\.name])'
  _ = owners.sum(of: \.name)  // numbers only are added up
  _ = owners.average(of: \.name)  // numbers only have an average
  _ = owners.min(of: \.name)  // numbers and dates only; of others 'sorted(by: \.name).first?.name'
  _ = owners.max(of: \.kind)  // numbers and dates only; of others 'sorted(by: \.name).last?.name'
  _ = owners.sorted(by: \.name, ascending: false)
  _ = owners.sum(of: \.id)
}

@MainActor func stores(_ store: Store, _ owner: Owner) async throws {
  _ = store.objects(String.self)  // objects are those of a class below 'Object'
  _ = store.objects(Kind.self)  // objects are those of a class below 'Object'
  _ = try await Store(actor: MainActor.shared)  // by 'try await Store.open(configuration:actor:)'
  store.add(owner, update: true)  // say what is updated: 'update: .modified' or 'update: .all'
  _ = try await Store.open(actor: MainActor.shared)
  store.add(owner, update: .modified)
}

func anything<T>(_ type: T.Type, in store: Store) {
  _ = store.objects(type)  // generic code says '<T: Object>'
}

// The messages that the page "Errors and troubleshooting" explains, in the compiler's own words.

enum Plain: String { case a, b }

final class Declared: Object {
  @Persisted var words: [String]  // requires that '[String]' conform to '_PropertyValue'
  @Persisted var place: URL  // requires that 'URL' conform to '_PropertyValue'
  @Persisted var plain: Plain  // requires that 'Plain' conform to '_PropertyValue'
}

final class Keyed: Object {
  @Persisted(primaryKey: true) var key: Double  // conform to '_PrimaryKey'
}
