// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class WikiPage: Object {
  @Persisted(primaryKey: true) var slug: String
  @Persisted var title: String
  @Persisted var parent: WikiPage?
  @Persisted var links: List<WikiPage>
  @Persisted var revisions: List<WikiRevision>
  @Persisted var aliases: MutableSet<String>
  @Persisted var index = 0
  @Persisted(originProperty: "parent") private var children: LinkingObjects<WikiPage>
  @Persisted(originProperty: "links") var backlinks: LinkingObjects<WikiPage>

  lazy var sortedChildren: Results<WikiPage> = {
    children.filter("index >= %@", 0).sorted(byKeyPath: "index")
  }()

  var ancestors: [WikiPage] {
    guard let parent = parent else { return [] }
    return [parent] + parent.ancestors
  }

  var path: String { ([self] + ancestors).reversed().map { $0.slug }.joined(separator: "/") }

  override var description: String { return "Page \(title)" }
}

class WikiRevision: EmbeddedObject {
  @Persisted var text = ""
  @Persisted var author: String?
}

// MARK: - Copies that belong to no realm, as many applications make them

protocol DetachableObject: AnyObject {
  func detached() -> Self
}

extension Object: DetachableObject {
  func detached() -> Self {
    let detached = type(of: self).init()
    for property in objectSchema.properties {
      guard property.name != "parent", let value = value(forKey: property.name) else { continue }
      if property.isArray == true || property.type == .object {
        let detachable = value as? DetachableObject
        detached.setValue(detachable?.detached(), forKey: property.name)
      } else {
        detached.setValue(value, forKey: property.name)
      }
    }
    return detached
  }
}

extension EmbeddedObject: DetachableObject {
  func detached() -> Self {
    let detached = type(of: self).init()
    objectSchema.properties.forEach { detached[$0.name] = self[$0.name] }
    return detached
  }
}

extension List: DetachableObject {
  func detached() -> List<Element> {
    let result = List<Element>()
    forEach {
      if let detachable = $0 as? DetachableObject,
        let element = detachable.detached() as? Element
      {
        result.append(element)
      } else {
        result.append($0)
      }
    }
    return result
  }
}

extension CommonDeclarations {
  @Test func `a wiki whose pages are detached`() throws {
    try withDefaultRealm(of: WikiPage.self, WikiRevision.self) {
      let realm = try Realm()
      let root = WikiPage(value: ["slug": "root", "title": "Start"])
      try realm.write {
        realm.add(root)
        for (index, slug) in ["sea", "land"].enumerated() {
          let page = realm.create(
            WikiPage.self,
            value: [
              "slug": slug, "title": slug.capitalized, "parent": root, "index": 1 - index,
              "revisions": [["text": "first", "author": "ed"], ["text": "second"]],
              "aliases": [slug + "s"],
            ])
          root.links.append(page)
        }
        realm.create(
          WikiPage.self, value: ["slug": "tide", "parent": ["slug": "sea"]], update: .modified)
      }
      let tide = realm.object(ofType: WikiPage.self, forPrimaryKey: "tide")!
      #expect(tide.path == "root/sea/tide" && "\(root)" == "Page Start")
      #expect(root.sortedChildren.map { $0.slug } == ["land", "sea"])
      #expect(tide.parent?.backlinks.first == root && tide.parent?.title == "Sea")
      let copy = root.detached()
      #expect(copy.realm == nil && copy.links.count == 2 && copy.links[0].realm == nil)
      #expect(copy.links[0].revisions.map { $0.text } == ["first", "second"])
      #expect(copy.links[0].aliases.contains("seas"))
      copy.title = "Home"
      try realm.write { realm.add(copy, update: .modified) }
      #expect(
        root.title == "Home" && tide.parent?.parent == nil
          && realm.objects(WikiPage.self).count == 4)
    }
  }
}
