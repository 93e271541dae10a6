import ArgumentParser

// `atolld`: one node as a process. Reads its settings, checks everything that can be checked,
// starts the node, waits for a signal, stops it.
//
// What it decides: where settings come from (a file, and flags that replace the file's values) and
// what the exit code is. What it refuses, before anything is opened: unknown keys, addresses that
// are none or are outside loopback, stores in folders that do not exist.
//
// Standard output gets one line, `listening on HOST:PORT`, once the node serves; everything else is
// a log line on standard error.
//
//     exit code   meaning
//     0           stopped by SIGTERM or SIGINT
//     64          flags that cannot be understood
//     69          the address is taken, or another process serves the store
//     74          a store could not be opened
//     78          settings that cannot be used

/// The command line of `atolld`.
@main
struct AtollDaemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atolld",
    abstract: "Serves Atoll stores: exchanges changes with peers, wakes local applications.",
    discussion: """
      Settings come from a file of `key = value` lines (--config), from flags, or both; a flag \
      replaces the value of the file. SIGTERM and SIGINT stop the daemon. Exit codes: 0 stopped, \
      64 flags not understood, 69 address taken or store served by another process, 74 store not \
      opened, 78 settings not usable.
      """)

  @Option(help: ArgumentHelp("The settings file.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp("A store file to serve; made if missing. Repeatable.", valueName: "path"))
  var store: [String] = []

  @Option(
    help: ArgumentHelp("Where peers connect; port 0 takes a free one.", valueName: "host:port"))
  var listen: String?

  @Option(help: ArgumentHelp("A peer to stay connected to. Repeatable.", valueName: "host:port"))
  var peer: [String] = []

  @Option(help: ArgumentHelp("The folder of stores given by relative paths.", valueName: "folder"))
  var data: String?

  @Option(help: ArgumentHelp("Gets the port once it is bound.", valueName: "file"))
  var portFile: String?

  @Option(
    help: ArgumentHelp(
      "The least important log lines wanted: trace, debug, info, notice, warning, error, critical.",
      valueName: "level"))
  var logLevel: String?

  func run() async throws {
    do throws(DaemonFailure) {
      let settings = try Settings(try values())
      try await Service(settings).run()
    } catch {
      StandardError.write("atolld: \(error)\n")
      throw ExitCode(error.exitCode)
    }
  }

  /// The file's values, replaced by those of flags.
  private func values() throws(DaemonFailure) -> SettingValues {
    var values =
      try config.map { path throws(DaemonFailure) in
        try SettingValues(file: path)
      } ?? SettingValues()
    values.replace(.store, with: store, from: "--store")
    values.replace(.listen, with: listen.map { [$0] } ?? [], from: "--listen")
    values.replace(.peer, with: peer, from: "--peer")
    values.replace(.data, with: data.map { [$0] } ?? [], from: "--data")
    values.replace(.portFile, with: portFile.map { [$0] } ?? [], from: "--port-file")
    values.replace(.logLevel, with: logLevel.map { [$0] } ?? [], from: "--log-level")
    return values
  }
}
