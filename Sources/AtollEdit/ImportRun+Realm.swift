import AtollStorage
import AtollVocabulary

// Files that Realm Studio or realm-js wrote.
extension ImportRun {
  /// Imports the objects of a file; several files may follow each other in any order.
  ///
  /// Values that do not fit are left out and counted in the report of the result. Objects are found
  /// by their primary keys, those without one are made.
  ///
  /// - Throws: `ImportFailure` if the file is no JSON or in no known form, if the store has no classes, or
  ///   if the store does not go on; it says how much is imported.
  package mutating func realm(_ reader: RealmReader) throws {
    guard importer.classes.contains(where: { !$0.isEmbedded }) else {
      throw ImportFailure(
        problems: [], refusal: "the store has no classes, and the file does not declare them",
        end: "open the store once with an application that has the models, or import with --schema")
    }
    var reader = reader
    var translator = self.translator ?? RealmTranslator(classes: importer.classes)
    if importer.memory == nil { importer.memory = ImportMemory() }
    translator.beginFile()
    self.translator = RealmTranslator(classes: [])
    defer { self.translator = translator }
    while let record = try reading({ try reader.next() }) {
      let objects = translator.objects(of: record)
      if !objects.isEmpty {
        try take(record.line, count: objects.count) { importer in
          for object in objects {
            try importer.take(
              object.members, key: object.key, of: object.subject, isNilAbsent: true)
          }
          for name in translator.passing { importer.forget(name) }
        }
      }
      onProgress(reader.bytesRead)
    }
  }

  /// The report, with the objects that only links have named; nil if no file of Realm's was read.
  func fullReport() -> ImportReport? {
    guard var report = translator?.report else { return nil }
    let awaited = importer.memory?.awaited ?? []
    for name in awaited.sorted(by: { $0.text < $1.text }) {
      report.add(.onlyLinked, name.className) { "\(name.key)" }
    }
    return report
  }
}

extension RealmTranslator {
  /// Describes the imported part when an import ends early, and how to continue.
  func ending(_ first: String, _ kept: (made: Int, changed: Int), _ hasKeyless: Bool) -> String {
    guard kept.made + kept.changed > 0 else { return "nothing was imported" }
    let again = hasKeyless ? ", but those without one are made twice" : ""
    return
      "\(kept.made) objects made and \(kept.changed) changed are in the store. To go on, \(first) "
      + "and import again: objects are found by their primary keys\(again)"
  }
}
