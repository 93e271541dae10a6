/// The names of the properties that a Swift key path leads through, joined by dots.
///
/// `_name(for: \Airport.country?.code)` is `"country.code"`, as predicates, sort descriptors and
/// observers take it. Stops if the path ends elsewhere than at a persisted property, as one to a property
/// that is computed does.
public func _name<Root: ObjectBase>(for path: PartialKeyPath<Root>) -> String {
  KeyPathNames.text(of: path)
}
