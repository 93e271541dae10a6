import Atoll
import AtollSQLite
import AtollStorage
import AtollVocabulary

// The user's own program on the nodes.

extension World {
  /// Opens the application's own view of a node's file.
  func startApplication(on number: Int) {
    guard let application = simulation.application else { return }
    let node = nodes[number]
    do {
      node.store = try node.openStore(application)
      try node.hearOfStore()
    } catch {
      violate(.application, "node \(number), opening its store: \(error)")
    }
  }

  /// Has the application make a transaction.
  func commit(_ application: Application, on number: Int) {
    let node = nodes[number]
    var random = SeededGenerator(seed: random.next())
    if let armed = node.armed, [.committing, .flushingCommit].contains(armed) {
      node.disk.plan(armed.plan(using: &self.random))
    }
    do {
      let didWrite = try node.write(application, using: &random)
      node.disk.plan(nil)
      if didWrite, !dies(number, at: .committed) { try announce(node) }
    } catch {
      if node.disk.isCut { return die(number, at: node.armed) }
      violate(.application, "node \(number), writing: \(error)")
    }
  }

  /// Runs the application's own checks at the end.
  func checkApplication(on node: SimulatedNode) {
    guard let check = simulation.application?.check, let store = node.store else { return }
    store.refresh()
    do {
      try check(store)
    } catch {
      violate(.application, "node \(node.number): \(error)")
    }
  }
}
