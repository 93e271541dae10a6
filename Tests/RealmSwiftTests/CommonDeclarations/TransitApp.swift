// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

// The models of three releases of the application. Of the earlier ones the class names are said.

final class TransitStopV0: Object {
  override class func className() -> String { "TransitStop" }
  @Persisted(primaryKey: true) var id: Int
  @Persisted var label: String
  @Persisted var lines: String
}

final class TransitStop: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var lineNames: List<String>
  @Persisted var zone: Int?
  @Persisted var timetable: TransitTimetable?
}

final class TransitTimetable: Object {
  @Persisted var minutes: List<Int>
}

enum TransitMigrator {
  static let version: UInt64 = 3

  static private func migrationBlock(migration: Migration, oldSchemaVersion: UInt64) {
    if oldSchemaVersion < 1 {
      migration.renameProperty(onType: TransitStop.className(), from: "label", to: "name")
    }
    if oldSchemaVersion < 2 {
      migration.enumerateObjects(ofType: TransitStop.className()) { oldObject, newObject in
        guard let lines = oldObject?["lines"] as? String else { return }
        let names = List<String>()
        names.append(objectsIn: lines.split(separator: ",").map { String($0) })
        newObject?["lineNames"] = names
        newObject!["zone"] = (oldObject!["id"] as! Int) / 100
      }
    }
    if oldSchemaVersion < 3 {
      migration.enumerateObjects(ofType: "TransitStop") { _, newObject in
        let timetable = migration.create(TransitTimetable.className(), value: [[7, 22, 37, 52]])
        newObject?["timetable"] = timetable
        if newObject?["name"] as? String == "Depot", let newObject = newObject {
          migration.delete(newObject)
        }
      }
    }
  }

  static func configuration(url: URL) -> Realm.Configuration {
    var config = Realm.Configuration(
      fileURL: url, schemaVersion: version, migrationBlock: migrationBlock)
    config.objectTypes = [TransitStop.self, TransitTimetable.self]
    return config
  }
}

extension CommonDeclarations {
  @Test func `a timetable that migrates from its first release`() throws {
    let files = ApplicationFiles()
    let url = files.folder.file("transit.realm")
    try autoreleasepool {
      let config = Realm.Configuration(fileURL: url, objectTypes: [TransitStopV0.self])
      let realm = try Realm(configuration: config)
      try realm.write {
        realm.create(TransitStopV0.self, value: [101, "Harbour", "1,4,N2"])
        realm.create(TransitStopV0.self, value: [205, "Depot", ""])
      }
    }
    #expect(try schemaVersionAtURL(url) == 0)
    let config = TransitMigrator.configuration(url: url)
    let realm = try Realm(configuration: config)
    let stops = realm.objects(TransitStop.self)
    let stop = try #require(stops.first)
    #expect(stops.count == 1 && stop.name == "Harbour" && stop.zone == 1)
    #expect(Array(stop.lineNames) == ["1", "4", "N2"] && stop.timetable?.minutes.count == 4)
    #expect(try schemaVersionAtURL(url) == TransitMigrator.version)
    #expect(stops.filter("%@ IN lineNames", "N2").count == 1)
  }

  @Test func `a file that is thrown away where it would have to be migrated`() throws {
    let url = ApplicationFiles().folder.file("cache.realm")
    let trailing = Realm.Configuration(fileURL: url, schemaVersion: 3) { migration, oldVersion in
      if oldVersion < 1 { migration.deleteData(forType: "TransitTimetable") }
      if oldVersion < 3 {
        migration.enumerateObjects(ofType: TransitTimetable.className()) { old, new in
          guard let old = old, let new = new else { return }
          new["minutes"] = old["minutes"]
        }
      }
    }
    #expect(trailing.schemaVersion == 3 && trailing.migrationBlock != nil)
    var config = Realm.Configuration(
      schemaVersion: 1, migrationBlock: nil, deleteRealmIfMigrationNeeded: true)
    config.fileURL = url
    config.objectTypes = [TransitTimetable.self]
    #expect(config.deleteRealmIfMigrationNeeded && config.fileURL == url)
  }
}
