/// The rows of one query, read one by one as they are asked for.
///
/// Ends with the snapshot it was made in; a write through the same file while it is open may or
/// may not show in it.
package final class RowCursor {
  init() {}

  package func next() throws(StorageError) -> ObjectRow? { nil }
}
