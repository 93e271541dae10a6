// The program of the page "Getting started". `Tests/HouseTests` sees that every block of the page
// stands here, and `Tests/SnippetTests` does what the page says, command by command.

import Atoll
import Foundation

final class Item: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted var text: String
  @Persisted var isDone: Bool
  @Persisted(indexed: true) var created = Date()
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2 else {
  print("usage: tasks FILE add TEXT | list | done TEXT | watch")
  exit(64)
}
let (path, command) = (arguments[1], arguments[2])
let text = arguments.dropFirst(2).joined(separator: " ")

let store = try Store(configuration: .init(fileURL: URL(fileURLWithPath: path)))
let items = store.objects(Item.self).sorted(by: \.created)

switch command {
case "add":
  try store.write {
    store.add(Item(value: ["text": text]))
  }
case "list":
  for item in items {
    print(item.isDone ? "[x]" : "[ ]", item.text)
  }
case "done":
  try store.write {
    for item in items.where({ $0.text == text && !$0.isDone }) {
      item.isDone = true
    }
  }
case "watch":
  for try await change in items.changes {
    switch change {
    case .initial(let items): print("there are \(items.count)")
    case .update(let items, _, let insertions, let modifications):
      for index in insertions { print("new: \(items[index].text)") }
      for index in modifications { print("changed: \(items[index].text)") }
    case .error(let error): throw error
    }
  }
default:
  print("'\(command)' is no command of tasks")
  exit(64)
}
