// The code of the page "Any-typed values". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Person: Object {
  @Persisted(primaryKey: true) var name: String
}

final class Form: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var answer: AnyValue
  @Persisted var fields: Map<String, AnyValue>
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("any-typed-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("forms.atoll")))

// Writing.

let form = try store.write {
  let ada = store.create(Person.self, value: ["name": "Ada"])
  let form = store.create(Form.self, value: ["id": 1])
  form.answer = 5
  form.answer = "five"
  form.answer = .date(Date(timeIntervalSince1970: 0))
  form.answer = .object(ada)
  form.fields["colour"] = "red"
  form.fields["size"] = ["width": 3, "height": 4.5]
  form.fields["tags"] = ["new", 7, true]
  return form
}

// Reading.

switch form.answer {
case .none: print("no answer")
case .string(let text): print("text", text)
case .int(let number): print("number", number)
case .object(let object): print("an object", (object as? Person)?.name ?? "of another class")
default: print("something else")
}
print(form.fields["colour"]?.stringValue ?? "-", form.fields["size"]?["height"]?.doubleValue ?? 0)

// Lists and maps inside.

try store.write {
  form.fields["tags"]?.listValue?.append("late")
  form.fields["size"]?["depth"] = 2
}
print(form.fields["tags"]?.listValue?.count ?? 0, form.fields["size"]?.dictionaryValue?.count ?? 0)

// Asking.

let forms = store.objects(Form.self)
print(forms.where { $0.fields["colour"] == "red" }.count)
print(forms.where { $0.fields["size"]["height"] > 4 }.count)
print(forms.filter("answer.@type == 'object'").count)
