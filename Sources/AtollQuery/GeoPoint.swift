package import AtollVocabulary

extension StoredClass {
  /// True of classes whose objects are points as GeoJSON has them.
  package var isGeoPoint: Bool { isEmbedded && geoType != nil && geoCoordinates != nil }

  package var geoType: StoredProperty? {
    properties.first { $0.name == "type" && $0.type == .string && $0.collection == .none }
  }

  package var geoCoordinates: StoredProperty? {
    properties.first { $0.name == "coordinates" && $0.type == .double && $0.collection == .list }
  }
}
