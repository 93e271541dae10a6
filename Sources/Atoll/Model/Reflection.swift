/// Fields of a class: name, type and offset, superclasses first.
///
/// The functions are those behind `Mirror`, which gives no offsets. They are called once per class.
/// A test compares what they say with a class whose layout is known.
enum Reflection {
  struct Field {
    var name: String
    var type: Any.Type
    var offset: Int
  }

  static func fields(of type: AnyClass) -> [Field] {
    (0..<fieldCount(type)).map { index in
      var metadata = FieldMetadata()
      let fieldType = fieldType(type, index: index, metadata: &metadata)
      let name = metadata.name.map { String(cString: $0) } ?? ""
      metadata.freeName?(metadata.name)
      return Field(name: name, type: fieldType, offset: fieldOffset(type, index: index))
    }
  }

  /// The corresponding structure of the runtime is `_FieldReflectionMetadata`.
  struct FieldMetadata {
    var name: UnsafePointer<CChar>?
    var freeName: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
  }
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<Reflection.FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_ type: Any.Type, index: Int) -> Int
