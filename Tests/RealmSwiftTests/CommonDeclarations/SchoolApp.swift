// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class SchoolPerson: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
}

class Pupil: SchoolPerson {
  @Persisted var grades: Map<String, Int?>
  @Persisted var form: SchoolForm?
  @Persisted var absences: MutableSet<Date>
}

class Teacher: SchoolPerson {
  @Persisted var subjects: MutableSet<String>
  @Persisted(originProperty: "teacher") var forms: LinkingObjects<SchoolForm>
}

class SchoolForm: Object {
  @Persisted(primaryKey: true) var compoundKey: String
  @Persisted var year: Int { didSet { updateKey() } }
  @Persisted var letter: String { didSet { updateKey() } }
  @Persisted var teacher: Teacher?
  @Persisted(originProperty: "form") var pupils: LinkingObjects<Pupil>

  private func updateKey() {
    if realm == nil { compoundKey = "\(year)\(letter)" }
  }
}

/// The answers of a server, in Foundation's own collections.
enum SchoolFeed {
  static let response: NSDictionary = [
    "forms": [
      ["compoundKey": "7a", "year": 7, "letter": "a", "teacher": ["id": 1, "name": "Frau Roth"]]
    ] as NSArray,
    "pupils": [["id": NSNumber(value: 10), "name": NSString(string: "Nina"), "form": "7a"]]
      as NSArray,
  ]

  static func load(into realm: Realm) throws {
    try realm.write {
      for case let form as NSDictionary in response["forms"] as! NSArray {
        realm.create(SchoolForm.self, value: form, update: .modified)
      }
      for case let pupil as [String: Any] in response["pupils"] as! NSArray {
        var pupil = pupil
        pupil["form"] = realm.object(ofType: SchoolForm.self, forPrimaryKey: pupil["form"])
        realm.create(Pupil.self, value: pupil as NSDictionary, update: .all)
      }
    }
  }
}

extension Realm {
  func names<T: SchoolPerson>(of type: T.Type) -> [String] {
    objects(type).sorted(byKeyPath: "name").map(\.name)
  }
}

extension CommonDeclarations {
  @Test func `a school whose classes inherit, loaded from dictionaries of Foundation`() throws {
    try withDefaultRealm(of: Pupil.self, Teacher.self, SchoolForm.self) {
      let realm = try Realm()
      try SchoolFeed.load(into: realm)
      let form = SchoolForm()
      (form.year, form.letter) = (8, "b")
      form.teacher = realm.objects(Teacher.self).first
      try realm.write { realm.add(form) }
      #expect(form.compoundKey == "8b" && form.teacher?.forms.count == 2)
      let nina = try #require(realm.object(ofType: Pupil.self, forPrimaryKey: 10))
      #expect(nina.form?.compoundKey == "7a" && nina.form?.pupils.first?.name == "Nina")
      try realm.write {
        nina.grades["Art"] = 5
        nina.grades["Sport"] = .some(nil)
        nina.absences.insert(Date(timeIntervalSince1970: 0))
        nina.form?.teacher?.subjects.insert(objectsIn: ["Art", "French"])
        nina.form = form
      }
      #expect(
        nina.grades.count == 2 && nina.grades["Art"] == 5 && nina.grades["Sport"] == .some(nil))
      #expect(
        realm.names(of: Teacher.self) == ["Frau Roth"] && realm.names(of: Pupil.self) == ["Nina"])
      let person: SchoolPerson = nina
      #expect((person as? Pupil)?.form == form && type(of: person).className() == "Pupil")
      #expect(realm.objects(Teacher.self).filter("'French' IN subjects").count == 1)
      #expect(realm.objects(Pupil.self).filter("form.teacher.name CONTAINS 'Roth'").first == nina)
      #expect(realm.objects(Pupil.self).where { $0.grades["Art"] >= 5 }.count == 1)
      #expect(realm.objects(SchoolForm.self).filter("pupils.@count == 0").first?.letter == "a")
      #expect(realm.objects(SchoolForm.self).filter("ANY pupils.absences.@count > 0").first == form)
      let names = realm.schema.objectSchema.map(\.className).sorted()
      #expect(names == ["Pupil", "SchoolForm", "Teacher"] && realm.schema["Teacher"] != nil)
      let dynamic = realm.dynamicObjects("Pupil").first
      #expect(dynamic?["name"] as? String == "Nina" && (dynamic?["form"] as? Object) != nil)
      let ids = realm.objects(Pupil.self).value(forKey: "id") as? [Int]
      #expect(ids == [10] && Pupil.sharedNames == ["id", "name", "grades", "form", "absences"])
    }
  }
}

extension Pupil {
  static var sharedNames: [String] { Pupil().objectSchema.properties.map(\.name) }
}
