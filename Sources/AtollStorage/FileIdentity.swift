import AtollSQLite

/// The identity of a file on the disk, which a copy or a restored backup cannot keep.
struct FileIdentity: Hashable {
  var device: UInt64
  var inode: UInt64
  var birth: Int64
  var machine: String

  /// As the system has it now.
  init(path: String) {
    let facts = FileFacts(path: path)
    device = facts?.device ?? 0
    inode = facts?.inode ?? 0
    birth = facts?.birth ?? 0
    machine = FileFacts.machineID
  }

  /// As the file remembers it.
  init(storedIn connection: Connection) throws {
    let statement = try connection.prepare(
      "SELECT device, inode, birth, machine FROM atoll_store")
    guard try statement.step() else {
      throw StorageError.damaged(path: connection.path, detail: "its own row is missing")
    }
    device = statement.uint64(at: 0)
    inode = statement.uint64(at: 1)
    birth = statement.int64(at: 2)
    machine = statement.string(at: 3)
    statement.reset()
  }

  func store(_ connection: Connection) throws {
    let statement = try connection.prepare(
      "UPDATE atoll_store SET device = ?, inode = ?, birth = ?, machine = ?")
    statement.bind(device, at: 1)
    statement.bind(inode, at: 2)
    statement.bind(birth, at: 3)
    statement.bind(machine, at: 4)
    try statement.run()
  }
}
