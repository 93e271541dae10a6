// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class NotebookFolder: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name: String
  @Persisted var notes: List<NotebookNote>
  @Persisted(originProperty: "folders") var parents: LinkingObjects<NotebookFolder>
  @Persisted var folders: List<NotebookFolder>
}

final class NotebookNote: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var text: String
  @Persisted var isPinned: Bool
  @Persisted var deletedAt: Date?
  @Persisted var attachments: Map<String, Data>
  @Persisted(originProperty: "notes") var folders: LinkingObjects<NotebookFolder>
}

/// A table that animates its own changes, and so is not told of them.
final class NotebookTable {
  private let realm: Realm
  private let queue: DispatchQueue
  private(set) var rows: [String] = []
  private(set) var reloads = 0
  private var token: NotificationToken!
  private let folder: NotebookFolder

  init(folder: NotebookFolder, queue: DispatchQueue) {
    self.folder = folder
    self.queue = queue
    realm = folder.realm!
    token = folder.notes.observe(on: queue) { [unowned self] changes in
      switch changes {
      case .initial(let notes), .update(let notes, _, _, _):
        rows = notes.map(\.text)
        reloads += 1
      case .error(let error): Issue.record(error)
      }
    }
  }

  func insertOwn(_ text: String) throws {
    try realm.write(withoutNotifying: [token]) {
      let note = NotebookNote()
      note.text = text
      folder.notes.insert(note, at: 0)
      rows.insert(text, at: 0)
    }
  }

  func insertByHand(_ text: String) {
    realm.beginWrite()
    folder.notes.append(NotebookNote(value: ["text": text]))
    try! realm.commitWrite(withoutNotifying: [token])
    rows.append(text)
  }

  func move(_ from: Int, _ to: Int) {
    try! realm.write { folder.notes.move(from: from, to: to) }
  }
}

extension CommonDeclarations {
  @Test func `a notebook whose table shows its own changes at once`() throws {
    let files = ApplicationFiles()
    let queue = DispatchQueue(label: "table")
    var table: NotebookTable?
    var folder: NotebookFolder!
    try queue.sync {
      let realm = try Realm(
        configuration: files.configuration([NotebookFolder.self, NotebookNote.self]), queue: queue)
      folder = try realm.write {
        realm.create(NotebookFolder.self, value: ["name": "Work", "notes": [["text": "first"]]])
      }
      table = NotebookTable(folder: folder, queue: queue)
    }
    queue.sync {}
    try queue.sync {
      #expect(table?.rows == ["first"] && table?.reloads == 1)
      try table?.insertOwn("own")
      table?.insertByHand("by hand")
    }
    queue.sync {}
    queue.sync {
      #expect(table?.rows == ["own", "first", "by hand"] && table?.reloads == 1)
      table?.move(2, 0)
    }
    queue.sync {}
    try queue.sync {
      #expect(table?.rows == ["by hand", "own", "first"] && table?.reloads == 2)
      let realm = folder.realm!
      try realm.write {
        folder.notes[0].attachments["a"] = Data([1, 2])
        folder.notes.filter("text == 'own'").first?.deletedAt = Date()
        folder.folders.append(NotebookFolder(value: ["name": "Inner", "notes": [folder.notes[0]]]))
      }
      #expect(folder.folders[0].parents.first == folder && folder.notes[0].folders.count == 2)
      #expect(folder.notes.where { $0.deletedAt == nil }.map(\.text) == ["by hand", "first"])
      try realm.write {
        realm.delete(folder.notes.where { $0.deletedAt != nil })
        folder.notes.removeAll()
      }
      #expect(
        realm.objects(NotebookNote.self).where { $0.folders.count == 0 }.first?.text == "first")
      table = nil
      folder = nil
    }
  }
}
