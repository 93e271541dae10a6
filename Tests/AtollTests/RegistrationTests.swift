import Atoll
import Foundation
import StoreTestKit
import Testing

/// Classes that no walk found are known from their first use.
@Suite struct RegistrationTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore()
    var configuration = Store.Configuration(fileURL: folder.file)
    configuration.discovery = { [] }
    store = try Store(configuration: configuration)
  }

  @Test func `a class is registered at first use, with the classes it leads to`() throws {
    #expect(store.objects(Airport.self).isEmpty)
    try store.fill()
    #expect(store.objects(Airport.self).first?.country?.code == "CH")
  }

  @Test func `a generic class can be used although no walk finds it`() throws {
    #expect(store.objects(GenericModel<Int>.self).isEmpty)
    try store.write { store.create(GenericModel<Int>.self, value: ["value": 5]) }
    #expect(store.objects(GenericModel<Int>.self).first?.value == 5)
  }

  @Test func `first use inside a transaction is refused with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore()
      var configuration = Store.Configuration(fileURL: folder.file)
      configuration.discovery = { [] }
      let store = try Store(configuration: configuration)
      try store.write { store.add(Airport("A", "A")) }
    }
    #expect(said(result, "class 'Airport' is used for the first time inside a write transaction"))
  }

  @Test func `two classes of one name are refused with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Country.self, Elsewhere.Country.self])
      _ = try folder.open()
    }
    #expect(said(result, "two classes are named 'Country'"))
  }
}

enum Elsewhere {
  final class Country: Object {
    @Persisted(.either) var name: String
  }
}
