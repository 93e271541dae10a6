/// Stands in for a row while a value of unknown form is turned into a property's type.
final class InputReader: ObjectBase {
  convenience init(_ input: _PropertyInput) {
    self.init()
    source = InputSource(input)
  }
}

private final class InputSource: RowSource {
  let input: _PropertyInput

  init(_ input: _PropertyInput) { self.input = input }

  override func stored(_ slot: Int, of object: ObjectBase) -> _Stored {
    if case .single(let stored) = input.content { stored } else { .null }
  }

  override func list<Element>(
    _ slot: Int, of object: ObjectBase, as type: List<Element>.Type
  ) -> List<Element> {
    let list = List<Element>()
    if case .list(let elements) = input.content { list.elements = elements }
    return list
  }
}
