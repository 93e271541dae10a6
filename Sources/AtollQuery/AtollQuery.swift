// Queries as values: the condition as a tree, and the same as text.
//
// The module decides what a query means; how a file answers it is decided by the storage, which turns
// a ``StoreQuery`` into SQL. It opens no file and knows no SQL:
//
// - ``Predicate`` is the condition. The query language of the client library and the text of
//   `NSPredicate` both become this tree, so that everything below understands one thing.
// - ``StoreQuery`` is the whole question: objects of a class or elements of a collection, the
//   condition, the order, and the part of the result that is wanted.
// - ``PredicateParser`` reads text, with a ``PredicateScope`` for the names in it;
//   ``PredicatePrinter`` writes the text that the parser reads as the same tree.
// - ``TextFolding``, ``TextSearch`` and ``GeoShape`` define when two texts are equal, which texts a
//   search finds, and which points lie in an area. The tests compare every evaluator with them.
//
// The module refuses text that it cannot read with a ``PredicateTextError``, which names the place,
// what stands there and what was expected. Nesting is bounded by ``Limits/predicateDepth``, because
// the compiler and everything else that walks the tree recurses.
//
// The life of one query: `Airport.where { $0.runways > 2 }` builds a ``Predicate``; results add an
// order and a limit to its ``StoreQuery``; the storage compiles it once for all queries that differ
// in their constants only, binds the constants, and reads rows.
