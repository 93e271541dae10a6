import Atoll
import Foundation
import Testing

/// Rules 26 to 32: objects made from values.
@Suite struct CreationRuleTests {
  /// A dictionary with one form of a value everywhere.
  private static func values(_ form: Any) -> [String: Any] {
    [
      "value": form, "optional": form, "list": [form, form], "map": ["a": form],
      "optionalMap": ["a": form, "b": NSNull()],
    ]
  }

  private static func scalarValues(_ form: Any) -> [String: Any] {
    ["optionalList": [form, NSNull()], "set": [form], "optionalSet": [form, NSNull()]]
  }

  private static func expect<M: MappedSample>(
    _ bearer: Bearer<M>, has sample: M, _ comment: Comment
  ) {
    #expect(bearer.value == sample && bearer.optional == sample, comment)
    #expect(Array(bearer.list) == [sample, sample], comment)
    #expect(bearer.map["a"] == sample && bearer.optionalMap["a"] == .some(sample), comment)
    #expect(bearer.optionalMap.count == 2 && bearer.optionalMap["b"] == .some(nil), comment)
  }

  private static func expect<M: MappedSample>(
    _ bearer: ScalarBearer<M>, has sample: M, _ comment: Comment
  ) {
    #expect(Array(bearer.optionalList) == [sample, nil], comment)
    #expect(Array(bearer.set) == [sample], comment)
    #expect(Set(bearer.optionalSet) == [sample, nil], comment)
  }

  @Test(arguments: RuleCase.all)
  func `rule 26: dictionaries give mapped and persisted values alike`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, form) in ([M.sample] + M.rawForms(of: M.sample)).enumerated() {
        let comment: Comment = "\(form)"
        var values = Self.values(form)
        values["id"] = id
        Self.expect(Bearer<M>(value: values), has: M.sample, comment)
        Self.expect(try rules.create(values), has: M.sample, comment)
        if M.isEmbedded { continue }
        values = Self.scalarValues(form)
        values["id"] = id
        Self.expect(ScalarBearer<M>(value: values), has: M.sample, comment)
        Self.expect(try rules.createScalars(values), has: M.sample, comment)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 26: arrays give values in the order of the schema`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, form) in ([M.sample] + M.rawForms(of: M.sample)).enumerated() {
        let array: [Any] = [
          id, form, form, [form, form], ["a": form], ["a": form, "b": NSNull()],
        ]
        Self.expect(Bearer<M>(value: array), has: M.sample, "\(form)")
        let made = try rules.store.write { rules.store.create(Bearer<M>.self, value: array) }
        Self.expect(made, has: M.sample, "\(form)")
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 27: embedded mappings take an instance, a dictionary and an array`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let forms = M.rawForms(of: M.sample)
      #expect(
        forms.map { "\(type(of: $0))" } == [
          "Location", "Dictionary<String, Double>", "Array<Double>",
        ])
      let rules = try RuleStore<M>()
      for (id, form) in forms.enumerated() {
        #expect(Bearer<M>(value: ["value": form]).value == M.sample)
        #expect(try rules.create(["id": id, "value": form]).value == M.sample)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 28: another object of the class is accepted and copied`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let source = Bearer<M>(value: Self.values(M.sample))
      Self.expect(Bearer<M>(value: source), has: M.sample, "unmanaged to unmanaged")
      try rules.store.write {
        let made = rules.store.create(Bearer<M>.self, value: source)
        Self.expect(made, has: M.sample, "unmanaged to managed")
        let copy = Bearer<M>(value: made)
        Self.expect(copy, has: M.sample, "managed to unmanaged")
        made.value = M.other
        #expect(copy.value == M.sample && source.value == M.sample)
      }
      if M.isEmbedded { return }
      let scalars = ScalarBearer<M>(value: Self.scalarValues(M.sample))
      Self.expect(ScalarBearer<M>(value: scalars), has: M.sample, "unmanaged to unmanaged")
      try rules.store.write {
        let made = rules.store.create(ScalarBearer<M>.self, value: scalars)
        Self.expect(made, has: M.sample, "unmanaged to managed")
      }
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 28: a mapped value is copied as it is, not by way of what is stored`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let marked = Marked(P.samples[0], 7)
      let source = Bearer<Marked<P>>()
      (source.value, source.optional) = (marked, marked)
      let copy = Bearer<Marked<P>>(value: source)
      #expect(copy.value == marked && copy.optional == marked)
    }
    try check(type.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 29: null gives nil where that is allowed`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let values: [String: Any] = [
        "optional": NSNull(), "optionalMap": ["a": NSNull(), "b": Any?.none as Any],
      ]
      for bearer in [Bearer<M>(value: values), try rules.create(values), try rules.reopened()] {
        #expect(bearer.optional == nil)
        #expect(bearer.optionalMap.count == 2 && bearer.optionalMap["b"] == .some(nil))
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 29: null for an embedded mapping is its default, unmanaged, and else null`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let values: [String: Any] = ["value": NSNull(), "map": ["a": NSNull()]]
      let unmanaged = Bearer<M>(value: values)
      #expect(unmanaged.value == M.initial && unmanaged.map["a"] == M.initial)
      let rules = try RuleStore<M>()
      let bearer = try rules.create(values)
      #expect(bearer.$value.persistedValue == nil)
      #expect(bearer.value == M.initial && bearer.map["a"] == M.initial)
      #expect(bearer.map.count == 1)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 29: null is refused in lists, and for required scalars`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      var refused =
        [["list": [NSNull()]], ["list": [M.sample, Any?.none as Any]]] as [[String: Any]]
      if !M.isEmbedded {
        refused += [["value": NSNull()], ["value": Any?.none as Any], ["map": ["a": NSNull()]]]
      }
      for values in refused {
        #expect(throws: Store.Error.self, "\(values)") { try Bearer<M>(checking: values) }
        try rules.store.write {
          let error = #expect(throws: Store.Error.self, "\(values)") {
            try rules.store.create(checking: Bearer<M>.self, value: values)
          }
          #expect(error?.code == .invalidValue)
          #expect(error?.message.contains("'\(Bearer<M>.className()).") == true)
        }
      }
      #expect(rules.store.objects(Bearer<M>.self).isEmpty)
    }
    try check(rule.type)
  }

  @Test func `rule 29: null in a list of embedded mappings, and for a scalar, stops`() async {
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rules = try RuleStore<Northern>()
      try rules.create(["list": [NSNull()]])
    }
    #expect(said(list, "to type 'List<Northern>'. Property 'Bearer<Northern>.list'"))
    let scalar = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Bearer<Box<String>>(value: ["value": NSNull()])
    }
    #expect(said(scalar, "to type 'Box<String>'. Property 'Bearer<Box<String>>.value'"))
  }

  @Test(arguments: RejectingCase.all)
  func `rule 30: create stores what a failable mapping rejects`(_ rule: RejectingCase) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let made = try rules.create(Self.values(M.rejected))
      for bearer in [made, try rules.reopened()] {
        #expect(!bearer.$value.isConvertible && bearer.$value.persistedValue != nil)
        #expect(bearer.optional == nil && bearer.$optional.persistedValue != nil)
        #expect(bearer.list.count == 2 && bearer.optionalMap["a"] == .some(nil))
        #expect(throws: Store.Error.self) { try bearer.list.element(checking: 0) }
        #expect(throws: Store.Error.self) { try bearer.map.value(checking: "a") }
      }
      if M.isEmbedded { return }
      let scalars = try rules.createScalars(Self.scalarValues(M.rejected))
      #expect(Array(scalars.optionalList) == [nil, nil])
      #expect(scalars.set.count == 1 && scalars.optionalSet.count == 2)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 30: init refuses it for a required property, and takes it for others`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let error = #expect(throws: Store.Error.self) {
        try Bearer<M>(checking: ["value": M.rejected])
      }
      #expect(error?.message.contains("to type '\(M.self)'. Property") == true)
      #expect(Bearer<M>(value: ["optional": M.rejected]).optional == nil)
      let bearer = Bearer<M>(value: [
        "list": [M.rejected], "map": ["a": M.rejected], "optionalMap": ["a": M.rejected],
      ])
      #expect(bearer.list.count == 1 && bearer.map.count == 1 && bearer.optionalMap.count == 1)
    }
    try check(rule.type)
  }

  @Test(arguments: [RejectingCase(FailableBox<Int>.self), .embedded])
  func `rule 30: init stops at it`(_ rule: RejectingCase) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      Misdeed.rule30(rule)
    }
    #expect(said(result, "' to type '\(rule.type)'. Property 'Bearer<\(rule.type)>.value'"))
    #expect(said(result, "Could not convert value '"))
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 31: null in arrays is NSNull, a nil inside Any, and a nil of an optional`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let none: M? = nil
      let raw: M.PersistedType? = nil
      let arrays: [Any] = [
        [NSNull(), M.sample] as [Any], [none as Any, M.sample], [none, M.sample],
        [raw as Any, M.sample.persistableValue], [raw, M.sample.persistableValue],
        [Optional(none) as Any, M.sample],
      ]
      for (id, array) in arrays.enumerated() {
        let values: [String: Any] = ["id": id, "optionalList": array, "optionalSet": array]
        for bearer in [ScalarBearer<M>(value: values), try rules.createScalars(values)] {
          #expect(Array(bearer.optionalList) == [nil, M.sample], "\(array)")
          #expect(Set(bearer.optionalSet) == [nil, M.sample], "\(array)")
        }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 32: what is missing has its default on creation and stays on update`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let made = try rules.create(["value": M.sample, "nothing": 5])
      #expect(made.value == M.sample && made.optional == nil && made.list.isEmpty)
      for policy in [Store.UpdatePolicy.modified, .all] {
        try rules.store.write {
          let again = rules.store.create(
            Bearer<M>.self, value: ["id": 0, "optional": M.other], update: policy)
          #expect(again.value == M.sample && again.optional == M.other)
          rules.store.create(Bearer<M>.self, value: [0], update: policy)
          #expect(again.value == M.sample && again.optional == M.other)
        }
      }
      let tooLong = [Any](repeating: NSNull(), count: 7)
      #expect(throws: Store.Error.self) { try Bearer<M>(checking: tooLong) }
      #expect(Bearer<M>(value: [3, M.sample] as [Any]).value == M.sample)
    }
    try check(rule.type)
  }
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule30(_ rule: RejectingCase) {
    func commit<M: RejectingSample>(_: M.Type) { _ = Bearer<M>(value: ["value": M.rejected]) }
    commit(rule.type)
  }
}
