// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class FamilyMember: Object, Identifiable {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var born: Int?
  @Persisted var mother: FamilyMember?
  @Persisted var father: FamilyMember?
  @Persisted var partners: MutableSet<FamilyMember>
  @Persisted var documents: List<FamilyDocument>
  @Persisted(originProperty: "mother") var childrenOfMother: LinkingObjects<FamilyMember>
  @Persisted(originProperty: "father") var childrenOfFather: LinkingObjects<FamilyMember>

  var children: [FamilyMember] {
    (Array(childrenOfMother) + Array(childrenOfFather)).sorted { $0.born ?? 0 < $1.born ?? 0 }
  }

  var parents: [FamilyMember] { [mother, father].compactMap { $0 } }

  func generations() -> Int { 1 + (children.map { $0.generations() }.max() ?? 0) }

  static func incrementID(in realm: Realm) -> Int {
    return (realm.objects(FamilyMember.self).map { $0.id }.max() ?? 0) + 1
  }
}

class FamilyDocument: Object {
  @Persisted var title = ""
  @Persisted var pages: List<Data>
}

// MARK: - Deletion of what belongs to an object, as applications write it

protocol CascadeDeletable: AnyObject {
  var propertiesToCascadeDelete: [String] { get }
}

extension FamilyMember: CascadeDeletable {
  var propertiesToCascadeDelete: [String] { return ["documents"] }
}

extension Realm {
  func cascadeDelete(_ object: Object) {
    if let cascading = object as? CascadeDeletable {
      for name in cascading.propertiesToCascadeDelete {
        switch object.value(forKey: name) {
        case let child as Object:
          cascadeDelete(child)
        case let list as List<FamilyDocument>:
          Array(list).forEach { cascadeDelete($0) }
        default:
          break
        }
      }
    }
    if !object.isInvalidated { delete(object) }
  }
}

extension CommonDeclarations {
  @Test func `a family tree whose members link to each other`() throws {
    try withDefaultRealm(of: FamilyMember.self, FamilyDocument.self) {
      let realm = try Realm()
      func add(
        _ name: String, _ born: Int?, _ mother: FamilyMember? = nil, _ father: FamilyMember? = nil
      )
        -> FamilyMember
      {
        let member = FamilyMember()
        member.id = FamilyMember.incrementID(in: realm)
        (member.name, member.born, member.mother, member.father) = (name, born, mother, father)
        try! realm.write { realm.add(member) }
        return member
      }
      let eva = add("Eva", 1900)
      let otto = add("Otto", nil)
      let ida = add("Ida", 1925, eva, otto)
      let max = add("Max", 1922, eva, otto)
      let leo = add("Leo", 1950, ida)
      try realm.write {
        eva.partners.insert(otto)
        otto.partners.insert(eva)
        eva.documents.append(objectsIn: [
          FamilyDocument(value: ["Passport", [Data([1])]]), FamilyDocument(),
        ])
      }
      #expect(eva.children == [max, ida] && eva.generations() == 3 && leo.parents == [ida])
      #expect(eva.partners.first?.partners.contains(eva) == true && leo.id == 5)
      #expect(
        realm.objects(FamilyMember.self).where { $0.mother.mother.name == "Eva" }.first == leo)
      #expect(realm.objects(FamilyMember.self).where { $0.mother == eva }.count == 2)
      #expect(
        realm.objects(FamilyMember.self).filter("ANY childrenOfMother.born > 1940").first == ida)
      #expect(realm.objects(FamilyMember.self).filter("mother == nil AND born != nil").first == eva)
      #expect(realm.objects(FamilyMember.self).filter("%@ IN partners", otto).first == eva)
      let oldest = realm.objects(FamilyMember.self).sorted(byKeyPath: "born").first {
        $0.born != nil
      }
      #expect(
        oldest == eva
          && realm.objects(FamilyMember.self).sorted(byKeyPath: "mother.born").count == 5)
      #expect(
        Dictionary(grouping: realm.objects(FamilyMember.self)) { $0.mother?.id ?? 0 }[1]?.count == 2
      )
      try realm.write { realm.cascadeDelete(eva) }
      #expect(
        realm.objects(FamilyDocument.self).isEmpty && ida.mother == nil && otto.partners.isEmpty)
      #expect(ida.father == otto && otto.children.count == 2)
    }
  }
}
