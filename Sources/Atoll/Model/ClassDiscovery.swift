import CMetadata
import Synchronization

/// The model classes of the process, found without registration.
///
/// The walk is in `CMetadata`. Where it finds nothing, because a toolchain changed what it reads,
/// classes are known from the first time they are used or from `objectTypes:`.
package enum ClassDiscovery {
  private static let found = Mutex<[ObjectBase.Type]?>(nil)

  /// Every class below ``Object`` and ``EmbeddedObject`` that is not generic and does not say in
  /// ``ObjectBase/shouldIncludeInDefaultSchema()`` that it is left out, in order of name.
  package static var classes: [ObjectBase.Type] {
    found.withLock { known in
      if let known { return known }
      let classes = walk()
        .filter { $0 != DynamicObject.self && $0.shouldIncludeInDefaultSchema() }
        .sorted { ModelClass.name(of: $0) < ModelClass.name(of: $1) }
      known = classes
      return classes
    }
  }

  /// Walks the images' metadata once more.
  package static func walk() -> [ObjectBase.Type] {
    let roots: [UnsafeRawPointer?] = [pointer(Object.self), pointer(EmbeddedObject.self)]
    var capacity = 256
    while true {
      var found = [UnsafeRawPointer?](repeating: nil, count: capacity)
      let count = atoll_metadata_subclasses(roots, roots.count, &found, capacity)
      if count > capacity {
        capacity = count
        continue
      }
      return found.prefix(count).compactMap { pointer in
        pointer.flatMap { unsafeBitCast($0, to: AnyClass.self) as? ObjectBase.Type }
      }
    }
  }

  /// The version of the metadata sections in this process, and the one the walk knows.
  package static var layoutVersions: (found: UInt, known: UInt) {
    (UInt(atoll_metadata_version()), UInt(ATOLL_METADATA_VERSION))
  }

  private static func pointer(_ type: AnyClass) -> UnsafeRawPointer {
    unsafeBitCast(type, to: UnsafeRawPointer.self)
  }
}
