import Atoll
import Foundation
import StoreTestKit
import Testing

/// The text that `print` shows.
@Suite struct PrintingTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([PrintedBox.self, PrintedPart.self])
    store = try folder.open()
    try store.write {
      let other = store.create(PrintedBox.self, value: ["id": 2, "name": "small"])
      store.create(
        PrintedBox.self,
        value: [
          "id": 1, "name": "big", "numbers": [3, 4], "words": ["b"], "others": [other],
          "parts": ["left": ["size": 5]],
        ] as [String: Any])
    }
  }

  private let small = """
    PrintedBox {
    	id = 2;
    	name = small;
    	numbers = List<Int> ();
    	words = MutableSet<String> ();
    	others = List<PrintedBox> ();
    	parts = Map<String, Optional<PrintedPart>> {};
    }
    """

  private func indented(_ text: String) -> String { text.replacing("\n", with: "\n\t") }

  @Test func `issue 28.22: print(results) prints the objects with what they hold`() throws {
    let all = store.objects(PrintedBox.self).sorted(by: \.id)
    let text = "\(all.where { $0.id == 2 })"
    #expect(text == "Results<PrintedBox> (\n\t[0] \(indented(small))\n)")
    let both = "\(all)"
    #expect(
      both.hasPrefix("Results<PrintedBox> (\n\t[0] PrintedBox {\n\t\tid = 1;\n\t\tname = big;"))
    #expect(both.contains(",\n\t[1] \(indented(small))\n)"))
    #expect("\(all.where { $0.id == 9 })" == "Results<PrintedBox> ()")
    #expect("\(all.freeze().where { $0.id == 2 })" == text)
    let sections = all.sectioned(by: \.name)
    #expect("\(sections)".hasPrefix("SectionedResults<String, PrintedBox> (\n\t[big] (\n\t\t[0] "))
    #expect("\(sections[1])".contains("[small] (\n\t[0] \(indented(small))\n)"))
  }

  @Test func `issue 28.22: collections print the same, of a store or of none`() throws {
    let big = try #require(store.object(ofType: PrintedBox.self, forPrimaryKey: 1))
    for box in [big, PrintedBox(value: big)] {
      #expect("\(box.numbers)" == "List<Int> (\n\t[0] 3,\n\t[1] 4\n)")
      #expect("\(box.words)" == "MutableSet<String> (\n\t[0] b\n)")
      #expect("\(box.others)" == "List<PrintedBox> (\n\t[0] \(indented(small))\n)")
      #expect(
        "\(box.parts)"
          == "Map<String, Optional<PrintedPart>> {\n\t[left]: PrintedPart {\n\t\tsize = 5;\n\t}\n}")
    }
    let falling = big.numbers.sorted(ascending: false)
    #expect("\(falling)" == "ValueResults<Int> (\n\t[0] 4,\n\t[1] 3\n)")
    #expect("\(List<Int>())" == "List<Int> ()" && "\(Map<String, Int>())" == "Map<String, Int> {}")
    #expect("\(List<Date?>([nil]))" == "List<Optional<Date>> (\n\t[0] nil\n)")
  }

  @Test func `issue 28.22: what is long is cut off, and what is gone says so`() throws {
    let big = try #require(store.object(ofType: PrintedBox.self, forPrimaryKey: 1))
    try store.write {
      big.numbers.append(objectsIn: 0..<500)
      for id in 10..<300 { store.create(PrintedBox.self, value: ["id": id]) }
    }
    let list = "\(big.numbers)"
    #expect(list.hasSuffix(",\n\t[99] 97,\n\t... 402 more\n)") && list.count < 2000)
    let all = "\(store.objects(PrintedBox.self))"
    #expect(all.hasSuffix(",\n\t... 192 more\n)"))
    #expect(all.contains("[99]") && !all.contains("[100]"))
    let numbers = big.numbers
    try store.write { store.delete(big) }
    #expect("\(numbers)" == "List<Int> [invalidated]")
  }
}

final class PrintedBox: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var others: List<PrintedBox>
  @Persisted var parts: Map<String, PrintedPart?>
}

final class PrintedPart: EmbeddedObject {
  @Persisted var size: Int
}
