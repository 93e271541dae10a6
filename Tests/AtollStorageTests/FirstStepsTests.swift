import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

@Suite struct `first steps` {
  @Test func `an object written on one file is read on another after its changeset is applied`()
    throws
  {
    let a = try TestStore("a")
    let b = try TestStore("b")
    let name = a.property("Document", "name")[0]
    let one = a.property("Document", "one", "v")
    var commit: Commit?
    a.file.onCommit = { commit = $0 }
    try a.write { a in
      _ = try a.file.create(
        a["Document"].id, key: .int(7),
        fields: [
          NewField(name, .scalar(.string("seven"))),
          NewField(one[0], .embedded([NewField(one[1], .scalar(.int(9)))])),
        ])
    }
    #expect(commit?.origin == .local)
    #expect(commit?.changes.first?.inserted == [RowID(1)])
    try a.send(to: b)
    let row = try b.file.row(of: b["Document"].id, key: .int(7))
    let column = try #require(b["Document"].column([name]))
    #expect(row?.columns[column] == .string("seven"))
    #expect(try a.exported() == b.exported())
    #expect(
      try a.exported()
        == #"{"class":"Document","key":7,"name":"seven","one":{"v":9}}"# + "\n")
    #expect(try a.file.digest() == b.file.digest())
    #expect(try a.file.heads() == b.file.heads())
    #expect(try a.file.verify() == [])
    #expect(try b.file.verify() == [])
  }
}
