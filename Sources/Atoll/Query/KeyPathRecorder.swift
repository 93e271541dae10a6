import AtollVocabulary

/// Stands behind an object whose properties are read for the sake of their names.
///
/// Each property answers with one of its probes, see ``PropertyDescriptor/probe(_:)``, so that what
/// comes of the readings in several rounds tells whether a property was passed on or computed with.
final class KeyPathRecorder: RowSource {
  /// One property that was read, and what it answered.
  struct Reading {
    let property: PropertyDescriptor
    let owner: ObjectBase
    let answer: Answer

    var isOfCollection: Bool {
      if case .collection = answer { true } else { false }
    }

    /// The object that it led to.
    var target: ObjectBase? {
      switch answer {
      case .stored(let stored): stored.object
      case .collection(_, let element): element
      case .linkingObjects: nil
      }
    }
  }

  enum Answer {
    case stored(_Stored)
    /// With the element that a key path finds at every first index; nil of what holds no objects.
    case collection(CollectionBase, element: ObjectBase?)
    case linkingObjects
  }

  private(set) var readings: [Reading] = []
  private let round: Int
  /// The reading that is answered with null.
  private let absent: Int?

  /// From here on links lead nowhere, so that code that follows a chain of links comes to an end.
  private static let bound = 64

  init(round: Int = 0, absent: Int? = nil) {
    self.round = round
    self.absent = absent
  }

  func object<T: ObjectBase>(_ type: T.Type) -> T {
    let object = type.init()
    bind(object)
    return object
  }

  private func bind(_ object: ObjectBase) {
    object.source = self
    object.isManaged = true
    let model = ModelClass.of(type(of: object))
    for property in model.properties { property.bind(object) }
    for linking in model.linking { linking.property.bind(object) }
  }

  /// Records a property that is found rather than stored.
  func recordFound(_ property: PropertyDescriptor, of object: ObjectBase) {
    record(property, of: object, .linkingObjects)
  }

  private func record(_ property: PropertyDescriptor, of object: ObjectBase, _ answer: Answer) {
    readings.append(Reading(property: property, owner: object, answer: answer))
  }

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    let property = ModelClass.of(type(of: object)).properties[slot]
    let answer = answer(of: property)
    record(property, of: object, .stored(answer))
    return answer
  }

  private func answer(of property: PropertyDescriptor) -> _Stored {
    if readings.count == absent { return .null }
    guard let target = property.type.target, !property.type.isMapped else {
      return property.probe(round)
    }
    if readings.count >= Self.bound { return .null }
    let next = target.init()
    bind(next)
    return _Stored(next)
  }

  override func attach(_ handle: CollectionBase, to slot: Int, of object: ObjectBase) {
    let property = ModelClass.of(type(of: object)).properties[slot]
    var element: ObjectBase?
    if let list = handle as? ListBase, let target = property.type.target, !property.type.isMapped,
      readings.count < Self.bound
    {
      let first = target.init()
      bind(first)
      list.append(_Stored(first))
      element = first
    }
    record(property, of: object, .collection(handle, element: element))
  }

  /// The readings as ways: one goes on as long as each property is read of what the last led to.
  var ways: [[PropertyDescriptor]] {
    var ways: [[PropertyDescriptor]] = []
    var last: ObjectBase?
    for reading in readings {
      if let last, last === reading.owner {
        ways[ways.count - 1].append(reading.property)
      } else {
        ways.append([reading.property])
      }
      last = reading.target
    }
    return ways
  }
}
