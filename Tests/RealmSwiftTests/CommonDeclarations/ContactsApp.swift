// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { absoluteString }
}

class ContactEmail: EmbeddedObject {
  enum Label: String, PersistableEnum { case home, work, other }

  @Persisted var label: Label = .other
  @Persisted var address: String

  convenience init(label: Label, address: String) {
    self.init()
    self.label = label
    self.address = address
  }
}

class ContactRecord: Object, Identifiable {
  @Persisted(primaryKey: true) var id: String = UUID().uuidString
  @Persisted(indexed: true) var firstName: String
  @Persisted(indexed: true) var lastName: String
  @Persisted var emails: List<ContactEmail>
  @Persisted var homepage: URL?
  @Persisted var isFavorite = false
  @Persisted var groups: MutableSet<ContactGroup>

  var fullName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }
  var initial: String { lastName.first.map { String($0).uppercased() } ?? "#" }
}

class ContactGroup: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(originProperty: "groups") var members: LinkingObjects<ContactRecord>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

struct ContactBook {
  let realm: Realm

  var sections: SectionedResults<String, ContactRecord> {
    realm.objects(ContactRecord.self)
      .sectioned(by: { $0.initial }, sortDescriptors: [SortDescriptor(keyPath: "lastName")])
  }

  func search(_ text: String) -> Results<ContactRecord> {
    realm.objects(ContactRecord.self)
      .filter("firstName CONTAINS[cd] %@ OR lastName CONTAINS[cd] %@", text, text)
      .sorted(by: [
        .init(keyPath: "lastName", ascending: true), .init(keyPath: "firstName", ascending: true),
      ])
  }

  @discardableResult
  func insert(_ first: String, _ last: String, emails: [ContactEmail] = []) -> ContactRecord {
    let contact = ContactRecord()
    contact.firstName = first
    contact.lastName = last
    contact.emails.append(objectsIn: emails)
    try! realm.write { realm.add(contact) }
    return contact
  }
}

extension CommonDeclarations {
  @Test func `contacts in sections by their initials`() throws {
    try withDefaultRealm(of: ContactRecord.self, ContactEmail.self, ContactGroup.self) {
      let book = ContactBook(realm: try Realm())
      let work = ContactEmail(label: .work, address: "mira@example.org")
      let mira = book.insert("Mira", "Özdemir", emails: [work])
      book.insert("Paul", "Klee")
      book.insert("Lily", "Klee", emails: [ContactEmail(value: ["address": "l@example.org"])])
      #expect(book.sections.map { $0.key } == ["K", "Ö"])
      #expect(book.sections[0].count == 2 && book.sections.allKeys.count == 2)
      #expect(book.search("ozd").first?.fullName == "Mira Özdemir")
      #expect(book.search("kl").map { $0.firstName } == ["Lily", "Paul"])
      let friends = ContactGroup("Friends")
      try book.realm.write {
        mira.homepage = URL(string: "https://example.org/mira")
        mira.groups.insert(friends)
        mira.emails.first?.label = .home
      }
      #expect(friends.members.first == mira && mira.groups.contains(friends))
      let there = book.realm.objects(ContactRecord.self)
        .where {
          $0.homepage == URL(string: "https://example.org/mira")! && $0.emails.label == .home
        }
      #expect(there.count == 1)
      let all = book.realm.objects(ContactRecord.self)
      // As in Realm, the empty text is in nothing.
      #expect(book.search("").isEmpty && Set(all).count == 3 && Set([mira, there[0]]).count == 1)
      let byId = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
      #expect(byId[mira.id]?.emails.map(\.address) == ["mira@example.org"])
      try book.realm.write { book.realm.delete(mira.emails) }
      #expect(mira.emails.isEmpty && all.count == 3)
    }
  }
}
