package import AtollVocabulary

/// The order of two values of one register: assigned before recorded, then the later stamp.
///
/// A value that a create recorded as its model's default gives way to anything that was assigned,
/// nil included, whenever it was assigned.
package struct RegisterStamp: Hashable, Sendable {
  package var isAssigned: Bool
  package var stamp: Stamp

  package init(isAssigned: Bool, stamp: Stamp) {
    self.isAssigned = isAssigned
    self.stamp = stamp
  }
}

extension RegisterStamp: Comparable {
  package static func < (a: RegisterStamp, b: RegisterStamp) -> Bool {
    a.isAssigned == b.isAssigned ? a.stamp < b.stamp : b.isAssigned
  }
}
