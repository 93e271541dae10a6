/// The names of the properties that a Swift key path leads through, joined by dots.
///
/// `_name(for: \Airport.country?.code)` is `"country.code"`, as predicates, sort descriptors and
/// observers take it. Stops if the path ends elsewhere than at a persisted property.
public func _name<Root: ObjectBase>(for path: PartialKeyPath<Root>) -> String {
  KeyPathNames.name(of: path)
}
