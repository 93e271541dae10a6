// The code of the page "Errors and troubleshooting". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Member: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("troubleshooting-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// Opening.

let url = folder.appendingPathComponent("members.atoll")
try Data("not a store".utf8).write(to: url)

func open() -> Store? {
  do {
    return try Store(configuration: .init(fileURL: url, objectTypes: [Member.self]))
  } catch {
    switch error.code {
    case .invalidFile: print("put a backup in its place")
    case .notWritable, .diskFull: print("ask the operator")
    case .locked: print("try again later")
    case .schemaMismatch, .migrationFailed: print("an error of ours: send a report")
    default: print(error.message)
    }
    return nil
  }
}
_ = open()
try FileManager.default.removeItem(at: url)
guard let store = open() else { exit(1) }

// Checks that depend on data.

try store.write {
  store.create(Member.self, value: ["number": 1, "name": "Ada"])
}
for number in [1, 2] {
  do {
    try store.write {
      try store.add(checking: Member(value: ["number": number, "name": "Bo"]))
    }
    print("added", number)
  } catch let error as Store.Error where error.code == .duplicatePrimaryKey {
    print(error.message)
  }
}

// A predicate that somebody typed.

func search(_ text: String) -> Results<Member>? {
  do {
    return try store.objects(Member.self).filter(parsing: text)
  } catch {
    print(error.message)
    return nil
  }
}
print(search("nane == 'Ada'") == nil, search("name == 'Ada'")?.count ?? 0)
