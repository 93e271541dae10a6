import AtollReplication
import AtollVocabulary

/// A node of a story: an engine, and a store in memory that the product's own performer works on.
struct StoryNode {
  let name: String
  let author: Author
  let store: StoryStore
  var engine: Engine
  var performer: ActionPerformer<StoryStore>
  var timer: Instant?

  init(name: String, number: UInt64) {
    self.name = name
    author = Fixture.author(number)
    store = StoryStore(author)
    performer = ActionPerformer(store)
    engine = Engine(
      EngineConfiguration(
        storeID: Fixture.store, author: author, agent: "story", seed: number))
  }
}
