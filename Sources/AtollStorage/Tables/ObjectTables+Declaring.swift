import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// The meaning of an author's numbers: our own when a local write uses something for the first time,
// a peer's when its changeset declares it.
extension ObjectTables {
  /// Our number of a class, declared in this changeset if need be.
  func ownNumber(of entry: ClassEntry, _ transaction: WriteTransaction) throws -> ClassNumber {
    let own = transaction.writer
    if let number = own.number(of: entry.id) { return number }
    let declaration = ClassDeclaration(
      name: entry.name, isEmbedded: entry.isEmbedded, keyType: entry.keyType,
      keyName: entry.keyName)
    try declare(.class(declaration), transaction)
    try numbers.store(.class, local: Int64(entry.id.rawValue), of: transaction.own)
    own.append(entry.id)
    return ClassNumber(UInt32(own.classes.count - 1))
  }

  /// Our number of a property, declared with its classes in this changeset if need be.
  func ownNumber(
    of property: StoredProperty, _ transaction: WriteTransaction
  ) throws -> PropertyNumber {
    let own = transaction.writer
    if let number = own.number(of: property.id) { return number }
    let owner = try ownNumber(of: try entry(property.owner), transaction)
    let target = try property.target.map { try ownNumber(of: try entry($0), transaction) }
    let declaration = PropertyDeclaration(
      owner: owner, name: property.name, type: property.type, collection: property.collection,
      target: target)
    try declare(.property(declaration), transaction)
    try numbers.store(.property, local: Int64(property.id.rawValue), of: transaction.own)
    own.append(property)
    return PropertyNumber(UInt32(own.properties.count - 1))
  }

  /// Our number of an author, declared in this changeset if need be.
  func ownNumber(ofAuthor number: Int64, _ transaction: WriteTransaction) throws -> AuthorNumber {
    let own = transaction.writer
    if let known = own.authorNumbers[number] { return AuthorNumber(known) }
    guard let other = authors[number] else {
      throw StorageError.damaged(path: path, detail: "a stamp names author \(number)")
    }
    try declare(.author(other.author), transaction)
    try numbers.store(.author, local: number, of: transaction.own)
    own.append(author: number)
    return AuthorNumber(UInt32(own.authors.count - 1))
  }

  private func declare(
    _ declaration: Declaration, _ transaction: WriteTransaction
  ) throws {
    try transaction.own.declarations.adopt([declaration])
    transaction.declarations.append(declaration)
  }

  /// Gives a peer's declarations, already admitted, their local meaning.
  func take(_ declarations: [Declaration], of record: AuthorRecord) throws {
    guard !declarations.isEmpty else { return }
    try catalog.growing(on: connection) { try draft(declarations, of: record) }
  }

  private func draft(_ declarations: [Declaration], of record: AuthorRecord) throws {
    let author = numbers[record]
    for declaration in declarations {
      switch declaration {
      case .class(let value):
        let entry = try catalog.grow(
          className: value.name, isEmbedded: value.isEmbedded, keyType: value.keyType,
          keyName: value.keyName, on: connection)
        try numbers.store(.class, local: Int64(entry.id.rawValue), of: record)
        author.append(entry.id)
      case .property(let value):
        let property = try catalog.grow(
          property: value.name, of: try entry(try classID(value.owner, of: author)),
          type: value.type, collection: value.collection,
          target: try value.target.map { try classID($0, of: author) }, on: connection)
        try numbers.store(.property, local: Int64(property.id.rawValue), of: record)
        author.append(property)
      case .author(let value):
        let other = try authors.intern(value)
        try numbers.store(.author, local: other.number, of: record)
        author.append(author: other.number)
      }
    }
  }

  // MARK: From numbers

  func classID(_ number: ClassNumber, of author: AuthorNumbers) throws -> ClassID {
    guard let id = author.classID(number) else {
      throw MalformedChangeset(detail: "class \(number.rawValue) is not declared")
    }
    return id
  }

  func property(_ number: PropertyNumber, of author: AuthorNumbers) throws -> StoredProperty {
    guard let property = author.property(number) else {
      throw MalformedChangeset(detail: "property \(number.rawValue) is not declared")
    }
    return property
  }

  func authorNumber(_ number: AuthorNumber, of author: AuthorNumbers) throws -> Int64 {
    guard let local = author.authorNumber(number) else {
      throw MalformedChangeset(detail: "author \(number.rawValue) is not declared")
    }
    return local
  }

  func stamp(_ reference: StampReference, of author: AuthorNumbers) throws -> LocalStamp {
    LocalStamp(
      time: reference.time,
      author: try branch(reference.author, at: reference.time, of: author),
      index: reference.index)
  }
}

/// A changeset that its author's declarations should not have admitted.
struct MalformedChangeset: Error {
  var detail: String
}
