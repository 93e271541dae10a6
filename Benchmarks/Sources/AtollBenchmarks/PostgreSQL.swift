import Foundation

/// Two PostgreSQL clusters of this machine, the second subscribed to a table of the first; both flush
/// at each commit, as our daemons do.
///
/// Started as an ordinary user, since they do not run as root: as `postgres` if this process is root's.
final class PostgreSQL {
  private let folder: URL
  private let tools: String
  private let ports: [Int]
  private var servers: [Process] = []
  private var sessions: [PostgreSQLSession] = []
  private var count = 0

  /// Returns the folder of Debian's programs of a version; nil if it is not installed.
  static func tools(version: Int) -> String? {
    let folder = "/usr/lib/postgresql/\(version)/bin"
    return FileManager.default.isExecutableFile(atPath: folder + "/initdb") ? folder : nil
  }

  init(tools: String) throws {
    self.tools = tools
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-bench-postgresql-\(UUID().uuidString)")
    ports = try [FreePort.find(), FreePort.find()]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if geteuid() == 0 { try Self.run(Self.process(["/bin/chown", "postgres", folder.path])) }
    for port in ports { try startCluster(port) }
    sessions = try ports.map { try PostgreSQLSession(folder: folder, port: $0) }
    for session in sessions {
      try session.run(
        """
        CREATE TABLE airport (
          icao text PRIMARY KEY, name text, latitude float8, longitude float8, elevation float8);
        """)
    }
    try sessions[0].run("CREATE PUBLICATION airports FOR TABLE airport;")
    try sessions[1].run(
      """
      CREATE SUBSCRIPTION airports
        CONNECTION 'host=\(folder.path) port=\(ports[0]) user=postgres dbname=postgres'
        PUBLICATION airports WITH (synchronous_commit = on);
      """)
    try insert(1)
    try waitForArrival()
  }

  /// Milliseconds from the beginning of one transaction until its rows are visible at the subscriber.
  func bulk(rows: Int) throws -> Double {
    try milliseconds {
      try insert(rows)
      try waitForArrival()
    }
  }

  /// The same of so many transactions of one row, sent without waiting for each other's answers.
  func stream(transactions: Int) throws -> Double {
    try milliseconds {
      let statements = (0..<transactions).map { number in
        "INSERT INTO airport VALUES ('X\(count + number)', 'Airport', 47, 8, 432);"
      }
      count += transactions
      try sessions[0].run(statements.joined(separator: "\n"))
      try waitForArrival()
    }
  }

  /// The median time of one update, from its commit until it is visible at the subscriber.
  func update(times: Int) throws -> Double {
    median(
      try (0..<times).map { number in
        let name = "Airport \(count) \(number)"
        let arrival = try sessions[1].begin(
          Self.loop(until: "EXISTS (SELECT FROM airport WHERE icao = 'X0' AND name = '\(name)')"))
        return try milliseconds {
          try sessions[0].run("UPDATE airport SET name = '\(name)' WHERE icao = 'X0';")
          try arrival.wait()
        }
      })
  }

  func stop() {
    for session in sessions { session.close() }
    for server in servers {
      server.interrupt()
      server.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  private func insert(_ rows: Int) throws {
    try sessions[0].run(
      """
      INSERT INTO airport SELECT 'X' || n, 'Airport ' || n, n % 90, n % 180, n % 4000
        FROM generate_series(\(count), \(count + rows - 1)) n;
      """)
    count += rows
  }

  private func waitForArrival() throws {
    try sessions[1].run(
      Self.loop(until: "EXISTS (SELECT FROM airport WHERE icao = 'X\(count - 1)')"))
  }

  /// Asks within the server, as often as our side is asked.
  private static func loop(until condition: String) -> String {
    let waited = "extract(epoch FROM clock_timestamp() - now())"
    let pause = "least(greatest(\(waited) / 50, 0.00005), 0.002)"
    return "DO $$ BEGIN WHILE NOT \(condition) LOOP PERFORM pg_sleep(\(pause)); END LOOP; END $$;"
  }

  // MARK: Clusters

  private func startCluster(_ port: Int) throws {
    let data = folder.appendingPathComponent("\(port)")
    try runAsOwner(
      "initdb", ["-D", data.path, "-U", "postgres", "-A", "trust", "--no-instructions"])
    let settings = [
      "listen_addresses=", "wal_level=logical", "max_wal_size=4GB", "shared_buffers=256MB",
    ]
    let server = ownerProcess(
      "postgres",
      ["-D", data.path, "-p", "\(port)", "-k", folder.path] + settings.flatMap { ["-c", $0] })
    try server.run()
    servers.append(server)
    let deadline = ContinuousClock.now + .seconds(60)
    while (try? runAsOwner("pg_isready", ["-q", "-h", folder.path, "-p", "\(port)"])) == nil {
      guard server.isRunning, ContinuousClock.now < deadline else {
        throw RawSQLiteError(description: "PostgreSQL does not start in \(data.path)")
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  private func runAsOwner(_ program: String, _ arguments: [String]) throws {
    try Self.run(ownerProcess(program, arguments))
  }

  /// A program of PostgreSQL's, which takes the place of what makes it an ordinary user's.
  private func ownerProcess(_ program: String, _ arguments: [String]) -> Process {
    let command = ["\(tools)/\(program)"] + arguments
    let owner = [
      "/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups",
    ]
    return Self.process(geteuid() == 0 ? owner + command : command)
  }

  private static func process(_ command: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }

  private static func run(_ process: Process) throws {
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let arguments = process.arguments ?? []
      throw RawSQLiteError(
        description: "\(process.executableURL?.path ?? "") \(arguments.joined(separator: " ")): "
          + "status \(process.terminationStatus)")
    }
  }
}

/// One `psql` that is kept, so that its start is not measured.
final class PostgreSQLSession {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var number = 0
  private var unread = ""

  init(folder: URL, port: Int) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
    process.arguments = [
      "-h", folder.path, "-p", "\(port)", "-U", "postgres", "-X", "-q", "-A", "-t",
      "-v", "ON_ERROR_STOP=1", "postgres",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func run(_ sql: String) throws { try begin(sql).wait() }

  /// Sends statements, and answers with what waits for their end.
  func begin(_ sql: String) throws -> Answer {
    number += 1
    let marker = "done-\(number)"
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n\\echo \(marker)\n".utf8))
    return Answer(session: self, marker: marker)
  }

  struct Answer {
    fileprivate let session: PostgreSQLSession
    fileprivate let marker: String

    func wait() throws { try session.read(until: marker) }
  }

  fileprivate func read(until marker: String) throws {
    while true {
      while let end = unread.firstIndex(of: "\n") {
        let line = unread[..<end]
        let isMarker = line == marker
        unread = String(unread[unread.index(after: end)...])
        if isMarker { return }
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else {
        throw RawSQLiteError(description: "psql ended before it had done what it was asked")
      }
      unread += String(decoding: data, as: UTF8.self)
    }
  }

  func close() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// A port that nobody listens at now.
enum FreePort {
  static func find() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
      }
    }
    guard code == 0 else { throw RawSQLiteError(description: "no port is free") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
