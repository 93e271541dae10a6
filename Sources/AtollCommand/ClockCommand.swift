import ArgumentParser
import AtollPresence
import AtollStorage
import AtollVocabulary

/// `atoll clock`: what to do after a clock was wrong.
struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Puts right what a wrong clock has done.",
    discussion: """
      A changeset stamped more than a minute ahead of a replica's clock is deferred there, and applied \
      when time has caught up; `atoll status` names the authors. Where the clock that was wrong can be \
      mended, mend it and run `repair` on that replica's store. Where it cannot, `release` on any.
      """,
    subcommands: [ReleaseCommand.self, RepairCommand.self])

  /// `atoll clock release`: deferred changesets count, whatever their stamps.
  struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "release",
      abstract: "Applies the deferred changesets of an author, on every replica.",
      discussion: """
        The release is a change like any other and reaches every replica. The clock of the store goes \
        on from the time released: until real time has caught up, what is written is stamped with it.
        """)

    @OptionGroup var argument: StoreArgument

    @Argument(help: "The author as `atoll status` names it, or enough of its beginning.")
    var author: String

    @Option(help: "The last changeset to release; all that are deferred here without it.")
    var through: UInt64?

    func run() throws {
      let file = try argument.write()
      defer { file.close() }
      let deferred = try file.deferredChangesets()
      let meant = deferred.filter { $0.author.description.hasPrefix(author) }
      guard let only = meant.first, meant.count == 1 else {
        throw CommandError.notDeferred(author, deferred: deferred.map(\.author.description))
      }
      let last = try file.release(only.author, through: through.map(SequenceNumber.init))
      print("released \(only.author) through changeset \(last)")
    }
  }

  /// `atoll clock repair`: reissues what this replica wrote with a wrong clock.
  struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair",
      abstract: "Reissues, with present stamps, the changesets of a clock that was ahead.",
      discussion: """
        Run it on the replica whose clock was wrong, once the clock is right, while its node is linked to a \
        peer. Its changesets that are deferred elsewhere are reissued under a new incarnation and count once; the \
        old ones are kept, superseded. Applications that have the store open see its objects end and come \
        again.

        A peer has to be linked because the disk may have been rolled back to an earlier state, which only peers \
        can tell: they may have cut off their logs what the repair takes back, and could not be brought \
        together with this replica any more.
        """)

    @OptionGroup var argument: StoreArgument

    @Flag(help: "Also if other replicas' changesets here are ahead; they are deferred again.")
    var force = false

    @Flag(help: "Also while no peer is linked: the disk was not rolled back since one was.")
    var alone = false

    func run() throws {
      let file = try argument.write()
      defer { file.close() }
      if !alone, try file.ownTimeAhead() != nil, !isLinked(file.path) {
        throw CommandError.repairsAlone(path: file.path)
      }
      guard let repair = try file.repairClock(isForced: force) else {
        return print("nothing to repair: the store's time is not ahead of this clock")
      }
      print("reissued \(repair.changesets) changesets of \(repair.former) as \(repair.author)")
      if repair.deferredAgain > 0 {
        print("deferred \(repair.deferredAgain) changesets of others again")
      }
    }

    private func isLinked(_ path: String) -> Bool {
      StoreStatus.current(ofStoreAt: path)?.peers.contains { $0.isConnected } ?? false
    }
  }
}
