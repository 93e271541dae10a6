import AtollChanges
import AtollVocabulary

// The text of a frame, one line for each thing: the same as `protocol/tools/decode.py` prints for
// the same bytes, so that two decoders can be compared.

extension Frame {
  /// Its kind and fields, then what it lists.
  package var lines: [String] {
    switch self {
    case .hello(let hello):
      [
        "hello of versions \(hello.versions.lowerBound) to \(hello.versions.upperBound), "
          + "store \(hello.storeID), author \(hello.author), "
          + "agent \(hello.agent.debugDescription), "
          + (hello.isEagerWanted ? "eager" : "lazy")
      ] + Self.lines(of: hello.holdings)
    case .goodbye(let goodbye):
      ["goodbye \(goodbye.code.rawValue) \(goodbye.text.debugDescription)"]
    case .changesets(let runs): ["changesets"] + runs.flatMap(Self.lines)
    // The golden files have this word.
    case .expedited(let runs): ["expedited"] + runs.flatMap(Self.lines)
    case .chunk(let chunk):
      [
        "chunk of \(chunk.id.author):\(chunk.id.sequence) \(chunk.id.hash), "
          + "<\(Hexadecimal.text(bytes: chunk.bytes))> at \(chunk.offset) of \(chunk.total)"
          + Self.signature(chunk.seal)
      ]
    case .chunkReceipt(let receipt):
      ["receipt of \(receipt.author):\(receipt.sequence), \(receipt.received) bytes"]
    case .progress(let holdings): ["progress"] + Self.lines(of: holdings)
    case .request(let vector): ["request"] + Self.lines(of: vector, "after")
    case .snapshotWanted(let vector): ["request a snapshot"] + Self.lines(of: vector, "that has")
    case .keepAlive(let holdings): ["keep alive"] + Self.lines(of: holdings)
    case .digest(let current): [Self.line(of: current)]
    case .question(let question):
      [
        "question about \(question.wantsObjects ? "objects" : "sums") of store \(question.storeID)"
      ] + question.prefixes.map { "prefix \($0) of \(question.level) digits" }
    case .answer(let answer): [Self.line(of: answer.current)] + Self.lines(of: answer.found)
    case .prune: ["prune"]
    case .pair(let proof): ["pair by \(proof.hash)"]
    case .paired(let storeID): ["paired for store \(storeID)"]
    case .declined(let author, let reason):
      ["declined of \(author): \(reason.debugDescription)"]
    case .acknowledgements(let known):
      [
        "acknowledgements \(known.number) after \(known.follows), received \(known.received)"
      ]
        + known.replicas.flatMap { replica in
          ["of \(replica.peer)"] + Self.lines(of: replica.holdings)
        }
    case .snapshotOffer(let offer):
      ["snapshot \(offer.id) of \(offer.pages) pages, \(offer.objects) objects"]
        + Self.lines(of: offer.frontier)
    case .snapshotRequest(let request):
      ["request \(request.count) pages from \(request.first) of snapshot \(request.id)"]
    case .snapshotPage(let page):
      [
        "page \(page.index) of snapshot \(page.id), hash \(page.hash), "
          + "<\(Hexadecimal.text(bytes: page.bytes))>"
      ]
    case .backfillRequest(let request): Self.lines(of: request)
    case .backfill(let backfill): Self.lines(of: backfill)
    case .credit(let credit):
      ["credit of \(credit.window) bytes \(credit.reason.debugDescription)"]
    case .clock(let reading):
      [
        "clock at \(reading.sent.milliseconds)"
          + (reading.answered.map {
            ", received \($0.sent.milliseconds) at \($0.received.milliseconds)"
          } ?? "")
      ]
    case .localHello(let hello):
      ["local hello of \(hello.processID) \(hello.name.debugDescription)"]
    case .committed(let number): ["committed \(number)"]
    }
  }

  private static func lines(of holdings: Holdings) -> [String] {
    holdings.heads.map {
      "stores \($0.author):\($0.sequence) \($0.hash), applied \(holdings.applied[$0.author])"
    }
  }

  private static func lines(of vector: VersionVector, _ word: String) -> [String] {
    vector.entries.sorted { $0.author < $1.author }
      .map { "\(word) \($0.author):\($0.sequence)" }
  }

  private static func lines(of request: BackfillRequest) -> [String] {
    // The golden files have this word.
    ["request the backfill"]
      + request.through.entries.sorted { $0.author < $1.author }
      .map { "of \($0.author) after \(request.after[$0.author]) through \($0.sequence)" }
      + (request.part.map { ["\($0.received) bytes of \($0.author):\($0.sequence) are here"] } ?? [])
  }

  private static func lines(of backfill: Backfill) -> [String] {
    ["backfill, state \(backfill.state.rawValue)"] + lines(of: backfill.truncationPoint)
      + backfill.parts.map { part in
        "part of \(part.id.author):\(part.id.sequence) \(part.id.hash), "
          + "<\(Hexadecimal.text(bytes: part.bytes))> at \(part.offset) of \(part.total)"
          + signature(part.seal)
      }
  }

  private static func line(of current: FrontierDigest) -> String {
    "digest at \(current.frontier): \(current.digest)"
  }

  private static func lines(of found: DigestAnswer.Found) -> [String] {
    switch found {
    case .nothing(let reason): ["nothing \(reason.debugDescription)"]
    case .parts(let parts): parts.map { "\($0.count) objects, \($0.digest)" }
    case .objects(let objects):
      objects.map {
        "object \($0.identity) \($0.className.debugDescription) \($0.key.debugDescription), "
          + "generation \($0.generation), \($0.digest)"
      }
    }
  }

  /// The replica that a seal names, which proves nothing until the seal is checked.
  private static func signature(_ seal: Seal?) -> String {
    seal.map { ", sealed by \($0.replica)" } ?? ""
  }

  private static func lines(of run: ChangesetRun) -> [String] {
    run.changesets.enumerated().map { place, bytes in
      "changeset \(run.author):\(run.first.rawValue + UInt64(place)) "
        + "<\(Hexadecimal.text(bytes: bytes))>"
    } + ["hash \(run.headHash)" + signature(run.seal)]
  }
}
