package import AtollVocabulary

extension StoreFile {
  /// When and by whom a property was last assigned; nil if it is still at its default.
  package func stamp(
    of classID: ClassID, id: RowID, _ field: FieldPath
  ) throws(StorageError) -> (time: HybridTime, author: Author)? {
    throw .noSuchProperty(class: "", property: field.property.name)
  }
}
