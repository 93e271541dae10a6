import AtollQuery
import AtollVocabulary

extension QueryCompiler {
  /// Tells whether the embedded point at the path lies in an area.
  mutating func within(_ path: PropertyPath, _ shape: GeoShape) throws -> String {
    guard let target = path.property?.target ?? scopeTarget(path),
      let point = schema.entry(target)?.storedClass, let type = point.geoType,
      let coordinates = point.geoCoordinates
    else {
      throw StorageError.noSuchProperty(
        class: scopes[0].table.owner.name, property: "\(path.text).coordinates")
    }
    let list = path.appending(.property(coordinates))
    let kind = try value(path.appending(.property(type))).sql
    let longitude = try value(list.appending(.index(0))).sql
    let latitude = try value(list.appending(.index(1))).sql
    let constants = shape.constants.map { constant($0) }
    let area = bind(constants[0], .to(.data))
    let exactly =
      "\(kind) = 'Point' AND \(QueryFunctions.within)(\(longitude), \(latitude), \(area))"
    return try near(path, constants.dropFirst()).map { "(\($0) AND \(exactly))" } ?? "(\(exactly))"
  }

  /// The class of the elements that a path begins with.
  private func scopeTarget(_ path: PropertyPath) -> ClassID? {
    guard path.steps.isEmpty, scopes.indices.contains(path.scope),
      case .presence(let target)? = scopes[path.scope].node?.kind
    else { return nil }
    return target
  }
}

extension GeoShape {
  /// The constants of the shape for statements: its bytes, and west, east, south and north of each
  /// rectangle around it.
  var constants: [PersistedValue] {
    [.data(bytes)]
      + (bounds ?? []).flatMap { [$0.west, $0.east, $0.south, $0.north] }.map { .double($0) }
  }
}
