import AtollEdit

/// The thread that writes to a store, with the memory to take its transactions back.
actor EditDesk {
  private nonisolated let executor: QueueExecutor
  private let path: String
  private var opened: StoreEditor?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(path: String, label: String) {
    self.path = path
    executor = QueueExecutor("atoll-studio-\(label)")
  }

  /// Changes the store, which the first change opens for writing.
  func edit<Answer: Sendable>(_ change: @Sendable (StoreEditor) throws -> Answer) throws -> Answer {
    if let opened { return try change(opened) }
    let editor = try StoreEditor(path: path)
    opened = editor
    return try change(editor)
  }

  func close() {
    opened?.close()
    opened = nil
  }
}
