import ArgumentParser
import AtollVocabulary
import Foundation

// `atolld`: one node as a process. Reads its settings, checks everything that can be checked,
// starts the node, waits for signals, stops it.
//
// It decides where settings come from (flags over variables of the environment over a file), which of
// them may change while it runs, the exit code, and where its state is shown: log lines, `/metrics`,
// `/health`, the page in the browser (`DaemonStudio`), and the supervisor that started it. Before it
// opens anything, it refuses unknown keys, invalid addresses and stores in missing folders, all at once.
//
// The life of a setting: its text with the place it stands at (`SettingValues`) → checked together
// with the others (`SettingCheck`) → `Settings` → the node, the log, the endpoint (`Service`). At
// SIGHUP the same way once more, and what is different is changed in the running node.
//
// Why the settings are read here and not with swift-configuration 1.4: its providers answer for one key
// at a time and cannot list theirs, so that nobody could refuse a key that is misspelt, or tell in one go
// everything that is wrong; a value does not know the line it stands on, which each of our messages names;
// and its files are JSON, YAML or property lists, looked at again by the clock and not at SIGHUP. What
// would be left of it is the order of three sources.
//
// Standard output gets the line `listening on HOST:PORT` once the node serves, and `metrics at URL`
// before it if there are any, `studio at URL` likewise; everything else is a log line on standard error. With `log-format = json` all of
// these are JSON, also why the daemon does not start.
//
//     exit code   meaning
//     0           stopped by SIGTERM or SIGINT; `--check` found nothing wrong
//     64          flags that cannot be understood
//     69          an address is taken, or another process serves the store
//     74          a store could not be opened
//     78          settings that cannot be used

/// The command line of `atolld`.
@main
struct AtollDaemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atolld",
    abstract: "Serves Atoll stores: exchanges changes with peers, wakes local applications.",
    discussion: """
      Settings come from a file of `key = value` lines (--config or ATOLLD_CONFIG), from variables \
      of the environment (ATOLLD_LISTEN for `listen`; commas between several values), and from \
      flags; flags count more than variables, variables more than the file.

      SIGHUP reads them again: stores, peers, log-level and log-format change without a restart. \
      SIGTERM and SIGINT stop the daemon.

      Exit codes: 0 stopped, or nothing wrong with --check; 64 flags not understood; 69 address \
      taken, or store served by another process; 74 store not opened; 78 settings not usable.
      """,
    version: Release.version)

  @Option(help: ArgumentHelp("The settings file.", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "A store file to serve, as atoll init makes one. Repeatable.", valueName: "path"),
    completion: .file())
  var store: [String] = []

  @Option(
    help: ArgumentHelp("Where peers connect; port 0 takes a free one.", valueName: "host:port"))
  var listen: String?

  @Option(help: ArgumentHelp("A peer to stay connected to. Repeatable.", valueName: "host:port"))
  var peer: [String] = []

  @Option(
    help: ArgumentHelp("The folder of stores given by relative paths.", valueName: "folder"),
    completion: .directory)
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Whether a store that is missing is made, empty and with a new id: yes or no.",
      valueName: "yes|no"))
  var create: String?

  @Option(help: ArgumentHelp("Gets the port once it is bound.", valueName: "file"))
  var portFile: String?

  @Option(
    help: ArgumentHelp(
      "The least important log lines wanted: trace, debug, info, notice, warning, error, critical.",
      valueName: "level"))
  var logLevel: String?

  @Option(help: ArgumentHelp("How log lines are written: text or json.", valueName: "format"))
  var logFormat: String?

  @Option(
    help: ArgumentHelp(
      "Where /metrics and /health are told; nowhere if left out.", valueName: "host:port"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "Whether other machines may ask for metrics: yes or no.", valueName: "yes|no"))
  var metricsBeyondLoopback: String?

  @Option(
    help: ArgumentHelp(
      "Where the stores are shown in the browser; nowhere if left out.", valueName: "host:port"))
  var studio: String?

  @Option(
    help: ArgumentHelp(
      "Whether the browser may change the stores: yes or no.", valueName: "yes|no"))
  var studioWrites: String?

  @Flag(help: "Secure all links, also those within this machine.")
  var tls = false

  @Flag(
    help: "Let every user of this machine read and write the stores, over loopback without keys.")
  var anyLocalUser = false

  @Flag(
    help:
      "Secure no link, not even to another machine: every program that reaches the port can do anything."
  )
  var insecure = false

  @Option(
    help: ArgumentHelp(
      """
      From how many changesets on a new replica is given a snapshot instead of them, or never; \
      \(Limits.snapshotChangesets) if not given.
      """,
      valueName: "number"))
  var snapshotAfter: String?

  @Option(
    help: ArgumentHelp(
      """
      How old, in days, what every replica has is when it goes from the log, or never; \
      \(Int(Limits.truncationAge / .seconds(86_400))) if not given.
      """,
      valueName: "days"))
  var truncateAfter: String?

  @Option(
    help: ArgumentHelp(
      "The file of this node's key, made if missing; beside the stores if not given.",
      valueName: "file"))
  var identity: String?

  @Option(
    help: ArgumentHelp(
      "Certificates that those of peers must lead to, as well as being in the roster.",
      valueName: "file"))
  var authority: String?

  @Option(
    help: ArgumentHelp(
      "What is kept in memory for all peers together, such as 512M.", valueName: "bytes"))
  var memory: String?

  @Option(
    help: ArgumentHelp("What is kept in memory for one peer, such as 8M.", valueName: "bytes"))
  var peerMemory: String?

  @Flag(help: "Only check the settings: show them, or all that is wrong with them.")
  var check = false

  func validate() throws {
    if [tls, anyLocalUser, insecure].count(where: { $0 }) > 1 {
      throw ValidationError("--tls, --any-local-user and --insecure exclude each other.")
    }
  }

  func run() async throws {
    // A file that may not grow any more is an error to be handled, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    OpenFiles.takeAll()
    let environment = ProcessInfo.processInfo.environment
    let supervisor = Supervisor(environment)
    do throws(DaemonFailure) {
      let settings = try settings(environment, supervisor)
      if check { return print((settings.told + ["nothing is wrong"]).joined(separator: "\n")) }
      var service = Service(
        settings, supervisor: supervisor, isJournal: environment["JOURNAL_STREAM"] != nil
      ) { () throws(DaemonFailure) in try self.settings(environment, supervisor) }
      try await service.run()
    } catch {
      let format = SettingValues(file: config, environment: environment, flags: flags)[.logFormat]
      let lines = "\(error)".split(separator: "\n").map(String.init)
      StandardError.write(lines, as: format.first.flatMap { LogFormat(rawValue: $0.text) } ?? .text)
      throw ExitCode(error.exitCode)
    }
  }

  private func settings(
    _ environment: [String: String], _ supervisor: Supervisor
  ) throws(DaemonFailure) -> Settings {
    var values = SettingValues(file: config, environment: environment, flags: flags)
    if let listener = supervisor.listener {
      values.replace(.listen, with: "\(listener.address)", from: "the socket that was handed over")
    }
    var settings = try Settings(values)
    if let listener = supervisor.listener { settings.adopt(listener: listener.descriptor) }
    return settings
  }

  private var security: String? {
    tls ? "always" : anyLocalUser ? "any-local-user" : insecure ? "never" : nil
  }

  private var flags: [SettingKey: [String]] {
    let single: [SettingKey: String?] = [
      .data: data, .create: create, .listen: listen, .portFile: portFile, .logLevel: logLevel,
      .security: security, .identity: identity, .authority: authority, .logFormat: logFormat,
      .metrics: metrics, .studio: studio, .studioWrites: studioWrites,
      .metricsBeyondLoopback: metricsBeyondLoopback, .memory: memory, .peerMemory: peerMemory,
      .snapshotAfter: snapshotAfter, .truncateAfter: truncateAfter,
    ]
    return single.compactMapValues { $0.map { [$0] } }
      .merging([.store: store, .peer: peer]) { $1 }
  }
}
