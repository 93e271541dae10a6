import Atoll
import Foundation
import Testing

/// The process of an exit test says `sentence` on standard error before it ends.
func said(_ result: ExitTest.Result?, _ sentence: String) -> Bool {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
}

@Suite struct TrapTests {
  @Test func `a watcher is told the sentence before the process ends`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardOutputContent]) {
      Trap.watch { sentence in
        FileHandle.standardOutput.write(Data("told: \(sentence)".utf8))
      }
      _ = List<Int>()[0]
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("told: Index 0 is out of bounds of a list of 0 elements."))
  }

  @Test func `rule 13: a mapping that rejects its default stops at the first read`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NeedsDefault().url
    }
    #expect(
      said(
        result,
        "Failed to default construct a URL using the default value for persisted type String. "))
    #expect(said(result, "Property 'NeedsDefault.url'"))
  }

  @Test func `rule 14: an explicit default makes a rejecting mapping usable`() {
    #expect(HasDefault().url.absoluteString == "https://a.example")
  }

  @Test func `rule 22: an unmanaged object refuses an unconvertible value at once`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NeedsDefault(value: ["url": ""])
    }
    #expect(said(result, "Could not convert value '' to type 'URL'."))
  }

  @Test func `rule 34: an unconvertible element of a required list stops when read`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Holder(value: ["required": [2, 3]]).required[1]
    }
    #expect(said(result, "Could not convert value '3' to type 'Even'."))
  }

  @Test func `rule 28: an array longer than the properties is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Country(value: ["CH", "Switzerland", "Bern"])
    }
    #expect(said(result, "it has 3 values, the class 2 properties"))
  }

  @Test func `an index outside a list is refused with the number of elements`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = List([1, 2])[2]
    }
    #expect(said(result, "Index 2 is out of bounds of a list of 2 elements."))
  }

  @Test func `a class with two primary keys is refused when it is looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(TwoKeys.self).validate()
    }
    #expect(said(result, "Class 'TwoKeys' declares more than one primary key"))
  }
}

final class NeedsDefault: Object {
  @Persisted(.either) var url: URL
}

final class HasDefault: Object {
  @Persisted var url = TrapFixtures.url
}

enum TrapFixtures {
  static var url: URL { URL(string: "https://a.example") ?? URL(fileURLWithPath: "/") }
}

final class TwoKeys: Object {
  @Persisted(primaryKey: .either) var first: Int
  @Persisted(primaryKey: .either) var second: Int
}
