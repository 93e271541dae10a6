import Atoll
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Rules 2 and 9 to 11: how a mapping looks in the schema, and where it can be.
@Suite struct SchemaRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 9: each column is what the persisted type's own would be`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let type = M.PersistedType._valueType.type
      #expect(
        try kinds(rules, Bearer<M>.className())
          == expected(
            type,
            of: [
              ("value", .none), ("optional", .none), ("list", .list), ("map", .map),
              ("optionalMap", .map),
            ]))
      if M.isEmbedded { return }
      #expect(
        try kinds(rules, ScalarBearer<M>.className())
          == expected(
            type,
            of: [
              ("optionalList", .list), ("set", .set), ("optionalSet", .set),
            ]))
    }
    try check(rule.type)
  }

  private func expected(_ type: PersistedType, of names: [(String, CollectionKind)]) -> [String] {
    names.map { "\($0.0) \($0.1) \(type)" }
  }

  private func kinds<M>(_ rules: RuleStore<M>, _ name: String) throws -> [String] {
    let file = try StoreFile.open(rules.folder.file.path)
    defer { file.close() }
    let stored = try #require(try file.storedClass(named: name))
    return stored.properties.map { "\($0.name) \($0.collection) \($0.type)" }
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 10: required embedded mappings are optional in the schema, lists are not`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let schema = Bearer<M>().objectSchema
      for (name, isOptional) in [
        ("value", true), ("optional", true), ("list", false), ("map", true), ("optionalMap", true),
      ] {
        #expect(schema[name]?.isOptional == isOptional, "\(name)")
        #expect(schema[name]?.objectClassName == "Location", "\(name)")
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 10: scalar mappings are optional where they are declared so`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let schema = Bearer<M>().objectSchema
      let scalars = ScalarBearer<M>().objectSchema
      for name in ["value", "list", "map"] { #expect(schema[name]?.isOptional == false, "\(name)") }
      for name in ["optional", "optionalMap"] { #expect(schema[name]?.isOptional == true) }
      #expect(scalars["set"]?.isOptional == false)
      for name in ["optionalList", "optionalSet"] { #expect(scalars[name]?.isOptional == true) }
      #expect(schema["value"]?.objectClassName == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 11: every container that is allowed holds the mapped type`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = Bearer<M>()
      bearer.value = M.sample
      bearer.optional = M.sample
      bearer.list.append(objectsIn: [M.sample, M.other])
      bearer.map["a"] = M.sample
      bearer.optionalMap["a"] = .some(M.sample)
      bearer.optionalMap["b"] = .some(nil)
      try rules.store.write { rules.store.add(bearer) }
      let found = try rules.reopened()
      #expect(found.value == M.sample && found.optional == M.sample)
      #expect(Array(found.list) == [M.sample, M.other])
      #expect(found.map["a"] == M.sample)
      #expect(found.optionalMap["a"] == .some(M.sample))
      #expect(found.optionalMap.count == 2)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 11: lists of optionals and sets hold scalar mappings`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = ScalarBearer<M>()
      bearer.optionalList.append(objectsIn: [nil, M.sample])
      bearer.set.insert(M.sample)
      bearer.optionalSet.insert(objectsIn: [nil, M.sample])
      try rules.store.write { rules.store.add(bearer) }
      let found = try rules.reopenedScalars()
      #expect(Array(found.optionalList) == [nil, M.sample])
      #expect(Array(found.set) == [M.sample])
      #expect(Set(found.optionalSet) == [nil, M.sample])
    }
    try check(rule.type)
  }

  @Test func `rule 11: sets of embedded mappings are refused`() async {
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SetOf<Coordinate>.self).validate()
    }
    #expect(said(set, "elements': a MutableSet cannot hold embedded objects"))
    let optional = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(SetOf<Coordinate?>.self).validate()
    }
    #expect(said(optional, "elements': a MutableSet cannot hold embedded objects"))
  }

  @Test func `rule 11: a mapped type is no map's key`() {
    #expect(!((Box<String>.self as Any) is any _MapKey.Type))
  }
}
