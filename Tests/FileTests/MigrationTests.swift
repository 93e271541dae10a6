import Atoll
import AtollStorage
import Foundation
import TestKit
import Testing

private final class CountedText: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: Int
  override class func className() -> String { "Note" }
}

/// A model that moves on, and back.
@Suite struct MigrationTests {
  let folder: TemporaryFolder

  init() throws {
    folder = TemporaryFolder()
    let store = try Store(configuration: folder.configuration())
    try store.note(1, "12")
  }

  private func configuration(
    _ version: UInt64, _ type: ObjectBase.Type, _ block: MigrationBlock? = nil
  ) -> Store.Configuration {
    var configuration = folder.configuration()
    configuration.objectTypes = [type]
    configuration.schemaVersion = version
    configuration.migrationBlock = block
    return configuration
  }

  @Test func `a type that changes back finds the values of that time, which can be written over`()
    throws
  {
    try Store.performMigration(
      for: configuration(1, CountedText.self) { migration, _ in
        migration.enumerateObjects(ofType: "Note") { old, new in
          new?.text = (old?.text as? String).flatMap { Int($0) }.map { $0 + 1 }
        }
      })
    let counted = try Store(configuration: configuration(1, CountedText.self))
    #expect(counted.objects(CountedText.self).map(\.text) == [13])
    counted.close()
    let unwritten = try copied(configuration(2, Note.self))
    #expect(unwritten.objects(Note.self).map(\.text) == ["12"])
    let written = try copied(
      configuration(2, Note.self) { migration, _ in
        migration.enumerateObjects(ofType: "Note") { old, new in
          new?.text = (old?.text as? Int).map(String.init)
        }
      })
    #expect(written.objects(Note.self).map(\.text) == ["13"])
  }

  @Test func `a process that is killed in a migration leaves the file as it was`() async throws {
    let path = folder.file().path
    let before = try text()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      _ = try Store(
        configuration: .init(
          fileURL: URL(fileURLWithPath: path), schemaVersion: 1,
          migrationBlock: { migration, _ in
            migration.enumerateObjects(ofType: "Note") { _, new in new?.text = 5 }
            for number in 2...2000 { migration.create("Note", value: ["number": number]) }
            kill(getpid(), SIGKILL)
          }, objectTypes: [CountedText.self]))
    }
    #expect(try text() == before)
    #expect(try schemaVersionAtURL(folder.file()) == 0)
    #expect(try Store(configuration: folder.configuration()).numbers == [1])
  }

  /// A store of the configuration, on a copy of the file.
  private func copied(_ configuration: Store.Configuration) throws -> Store {
    var configuration = configuration
    let source = try StoreFile.open(folder.file().path)
    defer { source.close() }
    configuration.fileURL = folder.file("copy-\(UUID().uuidString).atoll")
    try source.backUp(to: #require(configuration.fileURL).path)
    return try Store(configuration: configuration)
  }

  private func text() throws -> String {
    let file = try StoreFile.open(folder.file().path)
    defer { file.close() }
    var text = "\(try file.classes.map { "\($0.name): \($0.properties.map(\.name))" })"
    try file.export { text += $0 }
    return text + "\(try file.verify())"
  }
}
