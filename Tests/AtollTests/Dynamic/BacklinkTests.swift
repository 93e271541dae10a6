import Atoll
import Foundation
import StoreTestKit
import Testing

// Backlinks where they are seldom: into embedded objects, in subclasses, and declared as once.

final class Gate: EmbeddedObject {
  @Persisted(.either) var number: Int
  @Persisted(originProperty: "main") var terminal: LinkingObjects<Terminal>
  @Persisted(originProperty: "gates") var terminals: LinkingObjects<Terminal>
}

final class Terminal: Object {
  @Persisted(primaryKey: .either) var name: String
  @Persisted(.either) var main: Gate?
  @Persisted(.either) var gates: List<Gate>
  @Persisted(.either) var sign: Pole?
}

class Pole: Object {
  @Persisted(.either) var height: Int
  @Persisted var terminals = LinkingObjects(fromType: Terminal.self, property: "sign")
}

final class LightPole: Pole {
  @Persisted(.either) var light: Int
}

/// Declared as once, without a wrapper.
final class OldPole: Object {
  @Persisted(.either) var height: Int
  let terminals = LinkingObjects(fromType: Terminal.self, property: "sign")
}

@Suite struct BacklinkTests {
  private let folder = TemporaryStore([Terminal.self, Gate.self, Pole.self, LightPole.self])

  @Test func `an embedded object finds the object that it is in`() throws {
    let store = try folder.open()
    let terminal = try store.write {
      store.create(
        Terminal.self, value: ["name": "A", "main": ["number": 1], "gates": [["number": 2]]])
    }
    let main = try #require(terminal.main)
    #expect(main.terminal.map(\.name) == ["A"] && main.terminals.isEmpty)
    #expect(terminal.gates[0].terminals.map(\.name) == ["A"])
    #expect(terminal.gates[0].terminal.isEmpty && Gate().terminal.isEmpty)
    try store.write { store.create(Terminal.self, value: ["name": "B", "main": ["number": 2]]) }
    let all = store.objects(Terminal.self)
    #expect(all.where { $0.main.terminal.name == "A" }.map(\.name) == ["A"])
    #expect(all.where { $0.gates.terminals.name == "A" }.map(\.name) == ["A"])
    #expect(all.where { $0.gates.terminal.count > 0 || $0.main.terminals.count > 0 }.isEmpty)
    #expect(all.filter("ANY main.terminal.main.number == 2").map(\.name) == ["B"])
    #expect(store.schema["Gate"]?["terminal"]?.type == .linkingObjects)
  }

  @Test func `a subclass inherits linking objects, and has none of its own`() throws {
    let store = try folder.open()
    try store.write {
      let pole = store.create(Pole.self, value: ["height": 3])
      store.create(Terminal.self, value: ["name": "A", "sign": pole])
      store.create(LightPole.self, value: ["height": 4, "light": 5])
    }
    #expect(store.objects(Pole.self).first?.terminals.map(\.name) == ["A"])
    #expect(store.objects(LightPole.self).first?.terminals.isEmpty == true)
    #expect(store.objects(Pole.self).where { $0.terminals.name == "A" }.count == 1)
    #expect(store.objects(LightPole.self).where { $0.terminals.count == 0 }.count == 1)
  }

  @Test func `linking objects without a wrapper stop with how to declare them`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(OldPole.self).validate()
    }
    #expect(said(result, "'OldPole.terminals': linking objects are found through @Persisted only."))
    #expect(said(result, "Write '@Persisted(originProperty:"))
  }

  @Test func `a class that is named twice is one class of the store`() throws {
    let types: [ObjectBase.Type] = [Terminal.self, Gate.self, Pole.self, Terminal.self, Gate.self]
    let store = try Store(configuration: .init(fileURL: folder.file, objectTypes: types))
    #expect(store.schema.objectSchema.map(\.className).sorted() == ["Gate", "Pole", "Terminal"])
  }

  @Test func `a primary key counts as indexed`() throws {
    let store = try folder.open()
    #expect(store.schema["Terminal"]?["name"]?.isIndexed == true)
    #expect(store.schema["Pole"]?["height"]?.isIndexed == false)
  }

  @Test func `nil for a collection is an empty one`() throws {
    let store = try folder.open()
    let given: [String: Any] = ["name": "A", "gates": NSNull()]
    try store.write {
      #expect(store.create(Terminal.self, value: given).gates.isEmpty)
      #expect(store.dynamicCreate("Terminal", value: ["name": "B", "gates": NSNull()]).name != nil)
      let terminal = store.create(Terminal.self, value: ["name": "C", "gates": [["number": 2]]])
      store.create(Terminal.self, value: ["name": "C", "gates": NSNull()], update: .modified)
      #expect(terminal.gates.isEmpty)
      let values: [String: Any] = ["list": NSNull(), "set": Int?.none as Any, "map": NSNull()]
      let unmanaged = AnyHolder(value: values)
      #expect(unmanaged.list.isEmpty && unmanaged.set.isEmpty && unmanaged.map.isEmpty)
      unmanaged["map"] = nil
      let dynamic = store.dynamicObject(ofType: "Terminal", forPrimaryKey: "A")
      dynamic?["gates"] = nil
      #expect(dynamic?.dynamicList("gates").isEmpty == true)
    }
  }
}
