import AtollChanges
import AtollVocabulary

// The differences of two forms of one object.
extension CanonicalObject {
  /// The properties whose cells differ, ascending; with dots into embedded objects.
  ///
  /// A cell is what it holds and the stamps that decide about it.
  func properties(differingFrom other: CanonicalObject) -> [String] {
    Set(Cell.differing(cells, other.cells, in: "")).sorted()
  }
}

extension CanonicalObject.Cell {
  /// The identity of a cell among those of an object: properties of one name differ by type.
  private struct Label: Hashable {
    let name: String
    let type: PersistedType
    let collection: CollectionKind
    let target: ClassID?
  }

  private var label: Label {
    Label(
      name: property.name, type: property.type, collection: property.collection,
      target: target?.id)
  }

  fileprivate static func differing(_ ours: [Self], _ theirs: [Self], in path: String) -> [String] {
    var others = Dictionary(theirs.map { ($0.label, $0) }) { first, _ in first }
    let digest = CanonicalDigest()
    var names: [String] = []
    for cell in ours {
      let name = path + cell.property.name
      guard let other = others.removeValue(forKey: cell.label) else {
        names.append(name)
        continue
      }
      guard digest.value(of: cell) != digest.value(of: other) else { continue }
      if cell.order == other.order, case .embedded(let inner?) = cell.content,
        case .embedded(let outer?) = other.content
      {
        names += differing(inner, outer, in: name + ".")
      } else {
        names.append(name)
      }
    }
    return names + others.values.map { path + $0.property.name }
  }
}
