import AtollStorage
import AtollVocabulary

extension EditWriter {
  /// Takes one edit back.
  ///
  /// - Parameters:
  ///   - inverse: The step, of an edit whose successors in the transaction are taken back already.
  ///   - successors: What was made again under another name, to be read and recorded.
  ///   - isForced: What somebody has changed since is overwritten.
  /// - Throws: `UndoProblem` if something was changed since or is gone.
  mutating func perform(
    _ inverse: InverseEdit, _ successors: inout Successors, isForced: Bool
  ) throws {
    switch inverse {
    case .delete(let name, let written):
      let object = try object(name, successors)
      if !isForced { try checkUnchanged(object, since: successors.current(written)) }
      try file.delete(object.subject.id, id: object.row)
    case .create(let name, let members):
      try create(name, members, &successors, isForced: isForced)
    case .assign(let name, let path, let before, let written):
      let object = try object(name, successors)
      let field = try field(path, of: object.subject)
      let found = try reader.value(field, of: object)
      let written = successors.current(written)
      if !isForced, !reader.isSame(found, written, of: field.property) {
        throw changed(path, object, found, written)
      }
      _ = try assign(successors.current(before), to: path, of: object)
    case .increment(let name, let path, let amount):
      let object = try object(name, successors)
      let field = try field(path, of: object.subject)
      try file.increment(object.subject.id, id: object.row, field, by: amount)
    case .removeElement, .insertElement, .replaceElement, .moveElement:
      try performOnList(inverse, &successors, isForced: isForced)
    case .add(let name, let path, let value), .drop(let name, let path, let value):
      let isAdded = if case .add = inverse { true } else { false }
      let object = try object(name, successors)
      _ = try editSet(path, successors.current(value), of: object, isAdded: isAdded)
    case .entry(let name, let path, let key, let before, let written):
      let object = try object(name, successors)
      let field = try field(path, .map, of: object)
      let found = try entry(key, field, of: object)
      let written = written.map(successors.current)
      guard isForced || (found == nil) == (written == nil),
        isForced || reader.isSameElement(found ?? .null, written ?? .null, of: field.property)
      else { throw changed("\(path)[\"\(key)\"]", object, found, written) }
      _ = try editMap(path, key, before.map(successors.current), of: object)
    }
  }

  // MARK: Objects

  private func object(_ name: ObjectName, _ successors: Successors) throws -> FoundObject {
    let name = successors.current(name)
    guard let object = try find(name) else { throw UndoProblem.gone(what: name.text) }
    return object
  }

  private func checkUnchanged(_ object: FoundObject, since written: JSONValue) throws {
    let found = try reader.line(of: object) ?? .null
    let names = reader.differences(found, written, of: object.subject, isZeroNil: true)
    guard let name = names.first else { return }
    throw changed(name, object, found[name], written[name])
  }

  /// Makes a deleted object again, in a generation of its own.
  ///
  /// Its properties are assigned once it is there, since they may link to the object itself.
  private mutating func create(
    _ name: ObjectName, _ members: [JSONValue.Member], _ successors: inout Successors,
    isForced: Bool
  ) throws {
    let subject = try importer.subject(name.className)
    let name = successors.current(name)
    guard try find(name) == nil else {
      throw UndoProblem.changed(
        what: name.text, found: "alive", expected: "deleted")
    }
    let key: PersistedValue? = subject.keyType == .identity ? nil : name.key
    let object = try made(subject, key: key, [])
    successors.record(object.name, for: name)
    for member in members {
      do {
        let property = try importer.property(member.name, of: subject)
        let new = try importer.value(successors.current(member.value), for: property)
        try file.assign(subject.id, id: object.row, FieldPath(property), new)
      } catch is Importer.Problem where isForced {
        // The object that it linked to is gone as well.
      }
    }
  }

  // MARK: Elements

  private mutating func performOnList(
    _ inverse: InverseEdit, _ successors: inout Successors, isForced: Bool
  ) throws {
    switch inverse {
    case .removeElement(let name, let path, let id, let written):
      let (object, list, index) = try place(name, path, id, successors)
      if !isForced {
        try checkElement(index, list, path, object, since: successors.current(written))
      }
      try file.listRemove(object.subject.id, id: object.row, list: list, at: index)
    case .replaceElement(let name, let path, let id, let before, let written):
      let (object, list, index) = try place(name, path, id, successors)
      if !isForced {
        try checkElement(index, list, path, object, since: successors.current(written))
      }
      let new = try single(successors.current(before), of: list)
      try file.listAssign(object.subject.id, id: object.row, list: list, at: index, new)
    case .moveElement(let name, let path, let id, let destination):
      let (object, list, index) = try place(name, path, id, successors)
      let (classID, row) = (object.subject.id, object.row)
      let count = try file.elementCount(of: classID, id: row, list: list)
      try file.listMove(
        classID, id: row, list: list, from: index, to: min(destination, count - 1))
    case .insertElement(let name, let path, let id, let index, let value):
      let object = try object(name, successors)
      let list = try field(path, .list, of: object)
      let (classID, row) = (object.subject.id, object.row)
      let count = try file.elementCount(of: classID, id: row, list: list)
      let new = try single(successors.current(value), of: list)
      let made = try file.listInsert(classID, id: row, list: list, at: min(index, count), new)
      successors.record(made, for: id, path, of: object.name)
    case .delete, .create, .assign, .increment, .add, .drop, .entry: break
    }
  }

  /// Returns the present place of an element.
  private func place(
    _ name: ObjectName, _ path: String, _ id: ElementID, _ successors: Successors
  ) throws -> (object: FoundObject, list: FieldPath, index: Int) {
    let object = try object(name, successors)
    let list = try field(path, .list, of: object)
    let current = successors.current(id, path, of: object.name)
    guard let index = try index(of: current, list, of: object) else {
      throw UndoProblem.gone(what: "an element of \(path) of \(object.name.text)")
    }
    return (object, list, index)
  }

  private func checkElement(
    _ index: Int, _ list: FieldPath, _ path: String, _ object: FoundObject,
    since written: JSONValue
  ) throws {
    let found = try reader.element(index, list, of: object)
    guard reader.isSameElement(found, written, of: list.property) else {
      throw changed("\(path)[\(index)]", object, found, written)
    }
  }

  private func changed(
    _ path: String, _ object: FoundObject, _ found: JSONValue?, _ written: JSONValue?
  ) -> UndoProblem {
    .changed(
      what: "\(path) of \(object.name.text)", found: found?.text ?? "nothing",
      expected: written?.text ?? "nothing")
  }
}
