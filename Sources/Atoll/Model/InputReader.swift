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

  override func attach(_ handle: CollectionBase, to slot: Int, of object: ObjectBase) {
    handle.fill(input)
  }
}
