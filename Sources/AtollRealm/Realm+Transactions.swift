public import Atoll

extension Store {
  /// Realm's name of what tells asynchronous writes apart.
  public typealias AsyncTransactionId = AsyncTransactionID

  /// Begins a write transaction, and waits for the one that another thread or process has.
  ///
  /// Stops the process where `Store.beginWrite()` throws, as Realm does.
  public func beginWrite() {
    do throws(Error) { try beginTransaction() } catch { stop(error) }
  }

  /// Calls `block` in a write transaction as soon as nobody else writes, where the store belongs.
  ///
  /// The block ends the transaction itself, with ``commitAsyncWrite(allowGrouping:_:)``,
  /// `commitWrite()` or `cancelWrite()`; if it does not, the transaction is given up.
  @discardableResult
  public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
    beginAsync(block)
  }

  /// Commits the transaction, and then calls `onComplete` where the store belongs.
  ///
  /// The commit is durable when this returns; `allowGrouping` changes nothing.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    commitAsync(onComplete)
  }

  /// Takes back an asynchronous write whose block was not called yet.
  public func cancelAsyncWrite(_ id: AsyncTransactionId) throws { cancelAsyncTransaction(id) }
}
