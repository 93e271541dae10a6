// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class FieldNote: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var place: String = "Unknown"
  @Persisted var measured: Map<String, AnyRealmValue>
  @Persisted var extra: AnyRealmValue = .none
  @Persisted var photographs: Map<String, FieldPhoto?>
  @Persisted var counts: Map<String, Int> = Map()
  @Persisted var locationNames = Map<String, String>()
}

class FieldPhoto: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var taken: Date?
}

extension AnyRealmValue {
  init(fromAny value: Any) {
    switch value {
    case let v as Bool: self = .bool(v)
    case let v as Int: self = .int(v)
    case let v as Double: self = .double(v)
    case let v as String: self = .string(v)
    case let v as Date: self = .date(v)
    case let v as Data: self = .data(v)
    case let v as Object: self = .object(v)
    default: self = .none
    }
  }

  var toAny: Any {
    switch self {
    case .string(let v): return v
    case .int(let v): return v
    case .double(let v): return v
    case .float(let v): return v
    case .bool(let v): return v
    case .date(let v): return v
    case .data(let v): return v
    case .none: return NSNull()
    default: return String(describing: self)
    }
  }
}

extension Map where Key == String, Value == AnyRealmValue {
  var asDictionary: [String: Any] {
    Dictionary(uniqueKeysWithValues: self.map { ($0.key, $0.value.toAny) })
  }
}

extension CommonDeclarations {
  @Test func `notes from the field with values of any type`() throws {
    try withDefaultRealm(of: FieldNote.self, FieldPhoto.self) {
      let realm = try Realm()
      let note = FieldNote()
      let measured: [String: Any] = ["depth": 3, "acidity": 6.5, "clear": true, "name": "Weiher"]
      measured.forEach { key, value in note.measured[key] = AnyRealmValue(fromAny: value) }
      note.photographs["north"] = FieldPhoto(value: ["name": "n.jpg"])
      note.counts = Map()
      note.counts["frog"] = 2
      try realm.write { realm.add(note) }
      try realm.write {
        note.extra = .object(FieldPhoto(value: ["name": "lid.jpg", "taken": Date()]))
        note.measured["clear"] = nil
        note.measured.updateValue(.string("7 m"), forKey: "width")
        note.counts["frog", default: 0] += 1
        note.locationNames.merge(["de": "Weiher", "en": "pond"]) { $1 }
      }
      #expect(note.measured.keys.sorted() == ["acidity", "depth", "name", "width"])
      #expect(note.measured["depth"]?.intValue == 3 && note.measured["missing"] == nil)
      #expect(note.measured.asDictionary["acidity"] as? Double == 6.5)
      #expect(note.extra.object(FieldPhoto.self)?.name == "lid.jpg")
      #expect(note.photographs["north"]??.name == "n.jpg" && note.counts["frog"] == 3)
      #expect(realm.objects(FieldNote.self).where { $0.counts["frog"] > 2 }.count == 1)
      #expect(
        realm.objects(FieldNote.self).filter("ANY measured.@allKeys == %@", "depth").count == 1)
      for (key, value) in note.locationNames.asKeyValueSequence() where key == "en" {
        #expect(value == "pond")
      }
      if case let .object(object) = note.extra, let photo = object as? FieldPhoto {
        try realm.write { realm.delete(photo) }
      }
      #expect(note.extra == .none && note.photographs.count == 1)
    }
  }
}
