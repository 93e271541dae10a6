import AtollStorage
import AtollVocabulary

/// Marks persisted types that can be counted up: integers, and optionals of them.
public protocol _Counted {}

extension Int: _Counted {}
extension Int8: _Counted {}
extension Int16: _Counted {}
extension Int32: _Counted {}
extension Int64: _Counted {}
extension Optional: _Counted where Wrapped: _Counted {}

extension PersistedProperty where Value.PersistedType: _Counted {
  /// Adds to the value, so that concurrent additions of other replicas all count.
  ///
  /// `count += 1` assigns the sum, and of two concurrent assignments one is lost. An increment is added
  /// to the value on which it was made, unless a concurrent assignment replaces that. Stops if the value
  /// is nil; ``increment(checkingBy:)`` throws. A sum that the property's width does not hold is stored,
  /// and reads as unconvertible.
  public func increment(by amount: Int = 1) {
    do throws(Store.Error) { try increment(checkingBy: amount) } catch { Trap.stop(error.message) }
  }

  /// Adds to the value, as ``increment(by:)`` does.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if the value is nil, and for an unmanaged object if
  ///   the sum does not fit; the message has class, property and key.
  public func increment(checkingBy amount: Int) throws(Store.Error) {
    guard let source = owner.source, let row = source.row else {
      return try incrementUnmanaged(by: Int64(amount))
    }
    row.check(owner, doing(amount))
    row.store.requireTransaction(doing(amount))
    guard let path = source.path(property.slot, of: owner) else {
      throw refused(amount, "a primary key does not change. Create another object.")
    }
    if property.type.isOptional, source.stored(property.slot, of: owner).isNull {
      throw refusedNil(amount)
    }
    row.store.willChange()
    do throws(StorageError) {
      try row.store.file.increment(row.table.classID, id: row.id, path, by: Int64(amount))
    } catch {
      if case .incrementOfNil = error { throw refusedNil(amount) }
      throw Store.Error(error)
    }
    row.table.markChanged(row.id)
  }

  private func incrementUnmanaged(by amount: Int64) throws(Store.Error) {
    guard case .single(let stored)? = property.inputIfAny(of: owner)?.content,
      case .int(let value)? = stored.scalar
    else { throw refusedNil(Int(amount)) }
    let (sum, overflows) = value.addingReportingOverflow(amount)
    let input = _PropertyInput(_Stored(.int(sum)))
    guard !overflows, property.take(.stored(input), input, in: owner) else {
      throw refused(Int(amount), "\(value) and \(amount) together do not fit a '\(Value.self)'.")
    }
  }

  private func refusedNil(_ amount: Int) -> Store.Error {
    refused(amount, "its value is nil. Assign a number first.")
  }

  private func refused(_ amount: Int, _ reason: String) -> Store.Error {
    Store.Error(
      .invalidValue, "\(doing(amount)) in the object \(owner.shortDescription): \(reason)")
  }

  private func doing(_ amount: Int) -> String {
    "Incrementing '\(property.className).\(property.name)' by \(amount)"
  }
}
