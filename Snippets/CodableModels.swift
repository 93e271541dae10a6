// The code of the page "Models and JSON". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

final class Address: EmbeddedObject, Codable {
  @Persisted var street: String
  @Persisted var city: String?
}

final class Customer: Object, Codable {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var since: Date
  @Persisted var address: Address?
  @Persisted var phones: List<String>

  enum CodingKeys: String, CodingKey {
    case id
    case name = "full_name"
    case since, address, phones
  }
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("codable-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("customers.atoll")))

// Decoding.

let json = """
  [{"id": 1, "full_name": "Ada", "since": "2020-05-01T00:00:00Z",
    "address": {"street": "Main Street 1"}, "phones": ["+41 1"]},
   {"id": 2, "full_name": "Bo", "since": "2021-05-01T00:00:00Z", "phones": []}]
  """
let decoder = JSONDecoder()
decoder.dateDecodingStrategy = .iso8601
let customers = try decoder.decode([Customer].self, from: Data(json.utf8))
try store.write {
  store.add(customers, update: .modified)
}
print(store.objects(Customer.self).map { "\($0.name) \($0.address?.street ?? "-")" })

// Encoding.

let encoder = JSONEncoder()
encoder.dateEncodingStrategy = .iso8601
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
if let bo = store.object(ofType: Customer.self, forPrimaryKey: 2) {
  print(String(decoding: try encoder.encode(Customer(value: bo)), as: UTF8.self))
}
print(String(decoding: try encoder.encode(store.objects(Customer.self).map(\.name)), as: UTF8.self))
