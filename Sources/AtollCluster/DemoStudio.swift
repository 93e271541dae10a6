import Foundation

/// The studio on the three stores of the demonstration, until it is interrupted.
struct DemoStudio {
  let demo: Demo
  let cleanUp: CleanUp

  /// - Throws: If `atoll` is not beside this program, or does not start.
  func run() throws {
    let nodes = demo.cluster.nodes
    demo.say("")
    demo.say("The daemons go on. Things to try in the studio:")
    demo.say("  edit an airport of \(nodes[0].name), and see it arrive at \(nodes[2].name)")
    let middle = nodes[1].processID.map(String.init) ?? "PROCESS"
    demo.say("  kill -9 \(middle), edit on both sides, and see the lag grow (page Replication)")
    demo.say("  start \(nodes[1].name) again in another terminal:")
    demo.say("    \(nodes[1].commandLine)")
    demo.say("")
    let studio = Process()
    studio.executableURL = try Program.sibling("atoll")
    studio.arguments = ["studio"] + nodes.map(\.storePath)
    try studio.run()
    cleanUp.passSignals(to: studio.processIdentifier)
    studio.waitUntilExit()
    cleanUp.passSignals(to: nil)
  }
}
