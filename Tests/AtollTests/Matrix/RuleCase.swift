import Atoll
import Foundation
import Testing

/// A mapped type, as an argument of the test of a rule.
struct RuleCase: Sendable, CustomTestStringConvertible {
  let type: any MappedSample.Type
  var testDescription: String { "\(type)" }

  init<M: MappedSample>(_ type: M.Type) { self.type = type }

  /// One for each persisted type, failable and not.
  static let scalar: [RuleCase] = PersistedSampleType.all.flatMap { plain($0.type) }
  /// Those stored as embedded objects.
  static let embedded = [RuleCase(Coordinate.self), RuleCase(Northern.self)]
  static let all = scalar + embedded

  private static func plain<P: PersistedSample>(_: P.Type) -> [RuleCase] {
    [RuleCase(Box<P>.self), RuleCase(FailableBox<P>.self)]
  }
}

/// A failable mapped type, as an argument of the test of a rule.
///
/// It is coded by its name, so that the process of an exit test can be given one.
struct RejectingCase: Sendable, CustomTestStringConvertible {
  let type: any RejectingSample.Type
  var testDescription: String { "\(type)" }

  init<M: RejectingSample>(_ type: M.Type) { self.type = type }

  static let scalar: [RejectingCase] = PersistedSampleType.all.map { boxed($0.type) }
  static let embedded = RejectingCase(Northern.self)
  static let all = scalar + [embedded]
  /// Those that reject the default of their persisted type.
  static let picky =
    PersistedSampleType.all.map { picky($0.type) } + [RejectingCase(Equatorial.self)]

  private static func boxed<P: PersistedSample>(_: P.Type) -> RejectingCase {
    RejectingCase(FailableBox<P>.self)
  }

  private static func picky<P: PersistedSample>(_: P.Type) -> RejectingCase {
    RejectingCase(Picky<P>.self)
  }
}

extension RejectingCase: Codable {
  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    self = try #require((Self.all + Self.picky).first { $0.testDescription == name })
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(testDescription)
  }
}

/// The uses that stop the process, for one mapped type each, beside the tests about them.
enum Misdeed {}
