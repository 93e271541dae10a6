import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The meaning of an author's numbers in this file: the classes, properties and authors that it declared, as
/// the tables number them.
final class AuthorNumbers {
  /// The author as the log knows it.
  let record: AuthorRecord
  /// The author's classes, properties and authors by its own numbers; index 0 of ``authors`` is itself.
  ///
  /// Each field of each operation asks here; nothing accesses them twice at once.
  @exclusivity(unchecked) private(set) var classes: [ClassID] = []
  @exclusivity(unchecked) private(set) var properties: [StoredProperty] = []
  @exclusivity(unchecked) private(set) var authors: [Int64]
  /// The reverse, for the author that writes here: by local class and property number.
  @exclusivity(unchecked) private var classNumbers: [UInt32?] = []
  @exclusivity(unchecked) private var propertyNumbers: [UInt32?] = []
  private(set) var authorNumbers: [Int64: UInt32]
  /// The author as digests have it.
  let digest: StateDigest

  init(_ record: AuthorRecord) {
    self.record = record
    digest = DigestHasher.author(record.author)
    authors = [record.number]
    authorNumbers = [record.number: 0]
  }

  /// Goes on with the numbers that the branch before it had declared.
  func inherit(from parent: AuthorNumbers) {
    classes = parent.classes
    properties = parent.properties
    authors = [record.number] + parent.authors.dropFirst()
    classNumbers = parent.classNumbers
    propertyNumbers = parent.propertyNumbers
    authorNumbers = parent.authorNumbers
    authorNumbers[parent.record.number] = nil
    authorNumbers[record.number] = 0
  }

  /// Forgets what it declared.
  func forget() {
    classes = []
    properties = []
    authors = [record.number]
    classNumbers = []
    propertyNumbers = []
    authorNumbers = [record.number: 0]
  }

  func append(_ id: ClassID) {
    classNumbers.set(UInt32(classes.count), at: Int(id.rawValue))
    classes.append(id)
  }

  func append(_ property: StoredProperty) {
    propertyNumbers.set(UInt32(properties.count), at: Int(property.id.rawValue))
    properties.append(property)
  }

  func append(author other: Int64) {
    authorNumbers[other] = UInt32(authors.count)
    authors.append(other)
  }

  func classID(_ number: ClassNumber) -> ClassID? {
    number.rawValue < classes.count ? classes[Int(number.rawValue)] : nil
  }

  func property(_ number: PropertyNumber) -> StoredProperty? {
    number.rawValue < properties.count ? properties[Int(number.rawValue)] : nil
  }

  func authorNumber(_ number: AuthorNumber) -> Int64? {
    number.rawValue < authors.count ? authors[Int(number.rawValue)] : nil
  }

  func number(of id: ClassID) -> ClassNumber? {
    let index = Int(id.rawValue)
    return index < classNumbers.count ? classNumbers[index].map(ClassNumber.init) : nil
  }

  func number(of id: PropertyID) -> PropertyNumber? {
    let index = Int(id.rawValue)
    return index < propertyNumbers.count ? propertyNumbers[index].map(PropertyNumber.init) : nil
  }
}

extension Array {
  fileprivate mutating func set<Wrapped>(_ value: Wrapped, at index: Int)
  where Element == Wrapped? {
    while count <= index { append(nil) }
    self[index] = value
  }
}
