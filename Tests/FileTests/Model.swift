import Atoll
import AtollStorage
import Foundation
import TestKit

final class Note: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: String
}

extension TemporaryFolder {
  /// The file of the store that most tests use.
  func file() -> URL { file("notes.atoll") }

  /// A configuration with the notes alone, whose commits do not wait for the disk.
  func configuration(_ name: String = "notes.atoll") -> Store.Configuration {
    var configuration = Store.Configuration(fileURL: file(name), objectTypes: [Note.self])
    configuration.adjusting = { $0.durability = .normal }
    return configuration
  }

  func size(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return attributes[.size] as? Int ?? 0
  }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
    return attributes[.posixPermissions] as? Int ?? 0
  }
}

extension Store {
  func note(_ number: Int, _ text: String) throws {
    try write {
      if let note = object(ofType: Note.self, forPrimaryKey: number) {
        note.text = text
      } else {
        create(Note.self, value: ["number": number, "text": text])
      }
    }
  }

  var numbers: [Int] { objects(Note.self).map(\.number).sorted() }
}
