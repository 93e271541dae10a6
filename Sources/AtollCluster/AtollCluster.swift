// The demonstration: three daemons and the applications beside them, as real processes.
//
// `atoll-cluster demo` starts three `atolld` on loopback, linked A–B–C, each with a store of its own
// in a temporary folder. An application imports airports on A; another, on C, sees them arrive. Then
// A and C edit one airport while B is dead. At the end the three files are compared: objects, version
// vectors, digests, and the bytes of their exports. No count, digest or time is written here; all of
// them are measured.
//
// The life of one phase: a `Program` is started (a daemon, or this executable again as an
// application) → its lines are read as they come → every wait has a bound → the phase's time is kept.
// Whatever happens, `CleanUp` ends what was started and removes the folder, on Ctrl-C too.
//
// `atoll-cluster run` (`Faults/`) has as many daemons as wanted in any topology, applications that
// write beside each, and a `FaultyNetwork` between them; a `FaultPlan` decides what happens to whom,
// and a `FaultCheck` looks for what was promised.
//
// The applications know nothing of all this: `Airport.swift` is the model, and `Application…`
// commands use the client library alone.

import ArgumentParser

@main
struct AtollCluster: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll-cluster",
    abstract: "Runs a cluster of Atoll daemons on this machine, and shows what it does.",
    subcommands: [
      DemoCommand.self, RunCommand.self, SimulateCommand.self, ConformCommand.self,
      MeasureCommand.self,
      ApplicationCommand.self,
    ])
}
