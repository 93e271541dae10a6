import Atoll
import Foundation
import Testing

/// Rule 69: names of key paths.
@Suite struct KeyPathRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 69: every mapped property and every collection of them has its name`(
    _ rule: RuleCase
  ) {
    func check<M: MappedSample>(_: M.Type) {
      #expect(_name(for: \Bearer<M>.value) == "value")
      #expect(_name(for: \Bearer<M>.optional) == "optional")
      #expect(_name(for: \Bearer<M>.list) == "list")
      #expect(_name(for: \Bearer<M>.map) == "map")
      #expect(_name(for: \Bearer<M>.optionalMap) == "optionalMap")
      if M.isEmbedded { return }
      #expect(_name(for: \ScalarBearer<M>.optionalList) == "optionalList")
      #expect(_name(for: \ScalarBearer<M>.set) == "set")
      #expect(_name(for: \ScalarBearer<M>.optionalSet) == "optionalSet")
    }
    check(rule.type)
  }

  @Test(arguments: RejectingCase.picky)
  func `rule 69: also where a mapping rejects the default, if the property is optional`(
    _ rule: RejectingCase
  ) {
    func check<M: RejectingSample>(_: M.Type) {
      #expect(_name(for: \Bearer<M>.optional) == "optional")
    }
    check(rule.type)
  }

  @Test func `rule 69: names of a path through links and embedded objects are joined`() {
    #expect(_name(for: \Site.next?.required) == "next.required")
    #expect(_name(for: \SharedPlaces.location?.latitude) == "location.latitude")
  }
}
