import AtollChanges
import AtollVocabulary
import Testing

@Suite struct `what an author may declare` {
  private var table = DeclarationTable(author: Samples.author(1))

  private mutating func declare(_ name: String, isEmbedded: Bool = false) throws -> ClassNumber {
    try table.adopt([
      .class(
        ClassDeclaration(
          name: name, isEmbedded: isEmbedded, keyType: isEmbedded ? .identity : .int))
    ])
    return ClassNumber(UInt32(table.classes.count - 1))
  }

  private mutating func declare(
    _ names: Range<Int>, of owner: ClassNumber, _ type: PersistedType = .int,
    _ collection: CollectionKind = .none, target: ClassNumber? = nil
  ) throws {
    for name in names {
      try table.adopt([
        .property(
          PropertyDeclaration(
            owner: owner, name: "p\(name)", type: type, collection: collection, target: target))
      ])
    }
  }

  private mutating func refusal(_ body: (inout Self) throws -> Void) throws -> String {
    let error = #expect(throws: ChangesetError.self) { try body(&self) }
    #expect(error?.kind == .overLimit)
    return error?.description ?? ""
  }

  @Test mutating func `issue 28.10: a class has a thousand properties and no more`() throws {
    let wide = try declare("Wide")
    try declare(0..<1000, of: wide)
    let text = try refusal { try $0.declare(1000..<1001, of: wide) }
    #expect(text.contains("Wide") && text.contains("1001") && text.contains("at most 1000"))
    #expect(try refusal { try $0.declare(1000..<1001, of: wide, .int, .list) }.contains("Wide"))
    #expect(table.properties.count == 1000)
    let other = try declare("Other")
    try declare(0..<1000, of: other, .string, .list)
    #expect(throws: ChangesetError.self) { try declare(1000..<1001, of: other, .string, .set) }
  }

  @Test mutating func `issue 28.10: what is of any type takes two columns`() throws {
    let wide = try declare("Wide")
    try declare(0..<500, of: wide, .any)
    #expect(try refusal { try $0.declare(500..<501, of: wide) }.contains("1001"))
    try declare(500..<501, of: wide, .any, .list)
  }

  @Test mutating func `issue 28.10: embedded columns count wherever they are, also later ones`()
    throws
  {
    let (inner, middle) = (
      try declare("Inner", isEmbedded: true), try declare("Middle", isEmbedded: true)
    )
    let outer = try declare("Outer")
    try declare(0..<99, of: inner)
    try declare(0..<3, of: middle, .embedded, target: inner)
    try declare(0..<3, of: outer, .embedded, target: middle)
    // 3 * (1 + 3 * (1 + 99)) = 903; one property more of Inner is nine columns more of Outer.
    try declare(99..<109, of: inner)
    #expect(try refusal { try $0.declare(109..<110, of: inner) }.contains("Outer"))
    #expect(
      try refusal { try $0.declare(3..<4, of: outer, .embedded, target: middle) }.contains("Outer"))
    try declare(3..<10, of: outer)
    #expect(throws: ChangesetError.self) { try declare(10..<11, of: outer) }
  }

  @Test mutating func `issue 28.10: classes inside themselves and one another end`() throws {
    let (a, b) = (try declare("A", isEmbedded: true), try declare("B", isEmbedded: true))
    try declare(0..<2, of: a, .embedded, target: a)
    try declare(2..<4, of: a, .embedded, target: b)
    try declare(0..<2, of: b, .embedded, target: a)
    try declare(4..<6, of: a, .embedded, .list, target: b)
    try declare(10..<100, of: a)
    try declare(10..<100, of: b)
  }

  @Test mutating func `issue 28.10: doubling chains are refused, and soon`() throws {
    var last = try declare("0", isEmbedded: true)
    try declare(0..<1, of: last)
    let error = #expect(throws: ChangesetError.self) {
      for depth in 1...1000 {
        let next = try declare("\(depth)", isEmbedded: true)
        try declare(0..<2, of: next, .embedded, target: last)
        last = next
      }
    }
    #expect(error?.description.contains("the class 9") == true)
  }

  @Test mutating func `issue 28.10: 1,024 classes and 16,384 properties, and no more`() throws {
    for number in 0..<Limits.declaredClasses { _ = try declare("c\(number)") }
    #expect(try refusal { _ = try $0.declare("more") }.contains("at most 1024"))
    for number in 0..<16 { try declare(0..<1000, of: ClassNumber(UInt32(number))) }
    try declare(0..<384, of: ClassNumber(16))
    #expect(
      try refusal { try $0.declare(384..<385, of: ClassNumber(16)) }.contains("at most 16384"))
    #expect(
      table.number(
        of: PropertyDeclaration(
          owner: ClassNumber(16), name: "p384", type: .int, collection: .none)) == nil)
  }
}
