import ArgumentParser
import AtollNode
import AtollStorage
import AtollTransport
import AtollVocabulary

/// `atoll pair`: makes a code that lets one node in, or uses one.
struct PairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Lets two nodes get to know each other, by a code.",
    discussion: """
      On a machine whose daemon others can reach, `atoll pair STORE` prints a code, which can be used \
      once within five minutes. On the other, `atoll pair STORE CODE HOST:PORT` makes sure that the \
      daemon there made the code, shows that it was given it, and then each has the other in its roster. \
      A code that was tried, also by somebody else or wrongly, is used.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The code that the other node printed.")
  var code: String?

  @Argument(help: "Where the other node's daemon listens, as HOST:PORT.")
  var address: String?

  @OptionGroup var key: IdentityArgument

  func validate() throws {
    if code != nil, address == nil {
      throw ValidationError("A code is used with the address of the node that made it.")
    }
  }

  func run() throws {
    let file = try argument.write()
    defer { file.close() }
    guard let code, let address else {
      guard let (made, secret) = try newCode() else { return }
      try file.offerPairing(secret)
      return print(made)
    }
    guard let code = PairingCode(code) else { throw CommandError.notACode(code) }
    let credentials = try key.credentials(servingStoreAt: argument.store)
    let outcome = try PairingCall(code, at: address, as: credentials).make()
    try file.admit(outcome.entry)
    print("paired with \(outcome.entry.name), \(outcome.entry.identity)")
    guard outcome.storeID != file.storeID else { return }
    print(
      "its store is \(outcome.storeID), this one \(file.storeID), and these never exchange: "
        + "`atoll join \(argument.store) \(outcome.storeID)` makes this store a replica of that one"
    )
  }

  /// A code of this node, and the secret in it.
  private func newCode() throws -> (code: PairingCode, secret: [UInt8])? {
    var random = SystemRandomNumberGenerator()
    let secret = (0..<PairingCode.secretBytes).map { _ in UInt8.random(in: 0...255, using: &random)
    }
    let identity = try key.credentials(servingStoreAt: argument.store).identity
    return PairingCode(of: identity, secret: secret).map { ($0, secret) }
  }
}
