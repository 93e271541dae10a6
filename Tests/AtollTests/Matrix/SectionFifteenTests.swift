import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import StoreTestKit
import Testing

/// The list of section 15 of the rules of type projection, because nobody else tests it.
@Suite struct SectionFifteenTests {
  @Test(arguments: RuleCase.scalar)
  func `section 15: map values and set elements of mapped types come back from the file`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      let scalars = try rules.createScalars()
      try rules.store.write {
        for (index, sample) in M.samples.enumerated() {
          bearer.map["\(index)"] = sample
          bearer.optionalMap["\(index)"] = .some(sample)
          scalars.set.insert(sample)
          scalars.optionalSet.insert(sample)
        }
        scalars.optionalSet.insert(nil)
      }
      let found = try rules.reopened()
      let foundScalars = try rules.reopenedScalars()
      for (index, sample) in M.samples.enumerated() {
        #expect(found.map["\(index)"] == sample)
        #expect(found.optionalMap["\(index)"] == .some(sample))
      }
      #expect(Set(foundScalars.set) == Set(M.samples))
      #expect(Set(foundScalars.optionalSet) == Set(M.samples.map { $0 } + [nil]))
      #expect(foundScalars.set.count == M.samples.count)
    }
    try check(rule.type)
  }

  @Test(arguments: KeyCase.all)
  func `section 15: a mapped key is one object on every replica`(_ rule: KeyCase) throws {
    func check<P: KeySample>(_: P.Type) throws {
      let id = UUID()
      let types: [ObjectBase.Type] = [KeyedBy<Box<P>>.self]
      let (first, second) = (try Replica(types), try Replica(types))
      let (a, b) = (try first.open(id), try second.open(id))
      let key = Box(P.samples[1])
      try a.write { _ = a.create(KeyedBy<Box<P>>.self, value: ["key": key]) }
      try b.write { _ = b.create(KeyedBy<Box<P>>.self, value: ["key": key, "note": "b"]) }
      try first.receive(from: second)
      a.refresh()
      #expect(a.objects(KeyedBy<Box<P>>.self).map(\.note) == ["b"])
      #expect(a.object(ofType: KeyedBy<Box<P>>.self, forPrimaryKey: key)?.note == "b")
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `section 15: != matches what is null`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      try rules.create(["id": 1, "optional": NSNull()])
      try rules.create(["id": 2, "optional": M.sample])
      let all = rules.store.objects(Bearer<M>.self)
      #expect(all.where { $0.optional != M.sample }.map(\.id) == [1])
      #expect(all.where { !($0.optional == M.sample) }.map(\.id) == [1])
      #expect(all.filter("optional != %@", M.sample).map(\.id) == [1])
      guard M.isEmbedded else { return }
      try rules.create(["id": 3, "value": NSNull(), "optional": M.sample])
      #expect(all.where { $0.value != M.sample && $0.id == 3 }.map(\.id) == [3])
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `section 15: IN takes mapped values, embedded ones too`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        try rules.create(["id": id, "value": sample, "list": [sample]])
      }
      let all = rules.store.objects(Bearer<M>.self)
      for count in 0...M.samples.count {
        let wanted = Array(M.samples.prefix(count))
        #expect(all.where { $0.value.in(wanted) }.map(\.id) == Array(0..<count))
        #expect(all.where { $0.list.containsAny(in: wanted) }.map(\.id) == Array(0..<count))
        #expect(all.filter("value IN %@", wanted).map(\.id) == Array(0..<count))
      }
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `section 15: a property goes from stored to mapped and back on one file`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let folder = TemporaryStore()
      func open<V: _PropertyValue & _ListElement & _PersistableValue>(_: V.Type) throws -> Store {
        try Store(
          configuration: Store.Configuration(
            fileURL: folder.file, objectTypes: [Switching<V>.self]))
      }
      let samples = P.samples
      let plain = try open(P.self)
      try plain.write {
        for (id, value) in samples.enumerated() {
          plain.create(
            Switching<P>.self,
            value: ["id": id, "value": value, "optional": value, "list": [value]])
        }
      }
      plain.close()
      let entries = try logLength(folder)
      let mapped = try open(Box<P>.self)
      #expect(try logLength(folder) == entries)
      let objects = mapped.objects(Switching<Box<P>>.self)
      #expect(objects.map(\.value.value) == samples)
      #expect(objects.map(\.optional) == samples.map { Box($0) })
      #expect(objects.flatMap { Array($0.list) } == samples.map { Box($0) })
      let first = try #require(objects.first)
      try mapped.write { first.value = Box(samples[samples.count - 1]) }
      mapped.close()
      let failable = try open(FailableBox<P>.self)
      #expect(failable.objects(Switching<FailableBox<P>>.self).count == samples.count)
      failable.close()
      let again = try open(P.self)
      #expect(again.objects(Switching<P>.self).first?.value == samples[samples.count - 1])
    }
    try check(type.type)
  }

  private func logLength(_ folder: TemporaryStore) throws -> Int64 {
    let file = try StoreFile.open(folder.file.path)
    defer { file.close() }
    return try file.lastLogPosition().rawValue
  }

  @Test(arguments: RuleCase.all)
  func `section 15: a concurrent remote write is read converted, and observed so`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let id = UUID()
      let types: [ObjectBase.Type] = [Bearer<M>.self] + (M.isEmbedded ? [Location.self] : [])
      let (mine, theirs) = (try Replica(types), try Replica(types))
      let (a, b) = (try mine.open(id), try theirs.open(id))
      try a.write { _ = a.create(Bearer<M>.self, value: ["id": 1, "value": M.other]) }
      try theirs.receive(from: mine)
      b.refresh()
      let remote = try #require(b.object(ofType: Bearer<M>.self, forPrimaryKey: 1))
      let (seen, token) = Sighting<M>.reports(a.objects(Bearer<M>.self))
      #expect(seen.next() == Sighting(value: M.other, optional: nil))
      try b.write {
        remote.value = M.sample
        remote.optional = M.sample
      }
      try mine.receive(from: theirs)
      a.refresh()
      #expect(seen.next() == Sighting(value: M.sample, optional: M.sample))
      let local = try #require(a.object(ofType: Bearer<M>.self, forPrimaryKey: 1))
      #expect(local.value == M.sample && local.optional == M.sample)
      token.invalidate()
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `section 15: a remote write that does not convert is nil, kept, and can be asked for`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let id = UUID()
      let types: [ObjectBase.Type] = [Bearer<M>.self] + (M.isEmbedded ? [Location.self] : [])
      let (mine, theirs) = (try Replica(types), try Replica(types))
      let (a, b) = (try mine.open(id), try theirs.open(id))
      let local = try a.write {
        a.create(Bearer<M>.self, value: ["id": 1, "value": M.sample, "optional": M.sample])
      }
      try theirs.receive(from: mine)
      b.refresh()
      let remote = try #require(b.object(ofType: Bearer<M>.self, forPrimaryKey: 1))
      let (seen, token) = Sighting<M>.reports(a.objects(Bearer<M>.self))
      #expect(seen.next()??.optional == M.sample)
      try b.write { remote["optional"] = M.rejected }
      try mine.receive(from: theirs)
      a.refresh()
      #expect(seen.next() == Sighting(value: M.sample, optional: nil))
      #expect(local.optional == nil && local.$optional.persistedValue != nil)
      try b.write { remote["value"] = M.rejected }
      try mine.receive(from: theirs)
      a.refresh()
      #expect(!local.$value.isConvertible)
      #expect(throws: Store.Error.self) { try local.$value.value() }
      token.invalidate()
    }
    try check(rule.type)
  }
}

/// The view of an observer of bearers.
private struct Sighting<M: MappedSample>: Equatable {
  /// Nil if the stored value does not convert.
  var value: M?
  var optional: M?

  static func reports(
    _ results: Results<Bearer<M>>
  ) -> (reports: Heard<Sighting?>, token: NotificationToken) {
    let reports = Heard<Sighting?>()
    let token = results.observe(on: reports.queue) { change in
      switch change {
      case .initial(let results), .update(let results, _, _, _):
        reports.note(
          results.first.map { Sighting(value: try? $0.$value.value(), optional: $0.optional) })
      case .error: break
      }
    }
    return (reports, token)
  }
}

/// A class that is declared with one type and then with another.
final class Switching<Value: _PropertyValue & _ListElement & _PersistableValue>: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: Value
  @Persisted(.either) var optional: Value?
  @Persisted(.either) var list: List<Value>

  override class func className() -> String { "Switching" }
}
