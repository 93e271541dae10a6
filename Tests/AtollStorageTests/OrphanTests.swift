import AtollSQLite
import AtollStorage
import AtollVocabulary
import Testing

/// The report of `atoll verify` about elements, members and entries without an owner.
@Suite struct `rows whose owner is gone` {
  private let store: TestStore

  init() throws {
    store = try TestStore("a", model: CollectionModel.all)
    try store.write { store in
      func property(_ name: String) -> StoredProperty { store.property("Page", name)[0] }
      let marks = store.property("Page", "one", "marks")[1]
      let spot = NewValue.embedded([NewField(marks, .list([.scalar(.string("m"))]))])
      _ = try store.file.create(
        store["Page"].id, key: .int(1),
        fields: [
          NewField(property("items"), .list([.scalar(.int(1)), .scalar(.int(2))])),
          NewField(property("tags"), .set([.scalar(.int(1))])),
          NewField(property("dict"), .map([NewEntry(key: "a", value: .scalar(.int(1)))])),
          NewField(property("one"), spot), NewField(property("list"), .list([spot])),
          NewField(property("any"), .list([.list([.scalar(.int(1))])])),
        ])
    }
  }

  @Test(arguments: [
    ("UPDATE \"Page.items\" SET _owner = 9", "2 rows of Page.items"),
    ("UPDATE \"Page.tags\" SET _owner = 9", "1 row of Page.tags"),
    ("UPDATE \"Page.dict\" SET _owner = 9", "1 row of Page.dict"),
    ("UPDATE \"Page.list.value.marks\" SET _owner = 9", "1 row of Page.list.value.marks"),
    ("UPDATE \"Page.list\" SET _removed = 1", "1 row of Page.list.value.marks"),
    ("UPDATE Page SET one = NULL", "1 row of Page.one.marks"),
    ("UPDATE Page SET \"any:type\" = NULL", "1 row of Page.any"),
    ("UPDATE \"Page.any\" SET _owner = -9 WHERE _owner < 0", "1 row of Page.any"),
  ])
  func `are found and counted`(sql: String, found: String) throws {
    #expect(try store.file.verify() == [])
    try Connection(path: store.path, access: .readWrite).execute(sql)
    let findings = try store.file.verify()
    #expect(
      findings.last
        == "\(found) lie in nothing: the object, element or slot that held them is gone")
    #expect(findings.filter { $0.contains("lie in nothing") }.count == 1)
  }
}
