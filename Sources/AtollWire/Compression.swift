import AtollVocabulary
import CZstd

/// Zstandard with contexts that are made once and used again; confined to its thread.
///
/// One for all links of a loop: an idle link then costs no context.
package final class Compression {
  /// Fast, and most of what a log has to give.
  private static let level: Int32 = 1
  /// Shorter bodies are sent uncompressed.
  private let leastBytes: Int
  private var compressor: OpaquePointer?
  private var decompressor: OpaquePointer?

  /// Below 256 bytes a frame gains nothing worth a call; `Int.max` compresses nothing.
  package init(from leastBytes: Int = 256) { self.leastBytes = leastBytes }

  deinit {
    ZSTD_freeCCtx(compressor)
    ZSTD_freeDCtx(decompressor)
  }

  /// The compressed bytes; nil where they would not be fewer.
  func compress(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.count >= leastBytes, let context = compressionContext() else { return nil }
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
      let result = bytes.withUnsafeBytes { source in
        ZSTD_compressCCtx(
          context, target.baseAddress, target.count, source.baseAddress, source.count, Self.level)
      }
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    return compressed.isEmpty || compressed.count >= bytes.count ? nil : compressed
  }

  /// The `byteCount` bytes that were compressed.
  ///
  /// - Throws: ``WireError`` if `bytes` are not the compressed form of exactly that many.
  func decompress(_ bytes: ArraySlice<UInt8>, byteCount: UInt64) throws(WireError) -> [UInt8] {
    guard byteCount <= UInt64(Limits.decompressedBytes) else {
      throw .decompressedTooLong(byteCount: byteCount)
    }
    guard let context = decompressionContext() else {
      throw .compression("no memory for a decompression context")
    }
    let frameBytes = bytes.withUnsafeBytes {
      ZSTD_findFrameCompressedSize($0.baseAddress, $0.count)
    }
    guard ZSTD_isError(frameBytes) != 0 || frameBytes == bytes.count else {
      throw .compression("\(bytes.count - frameBytes) bytes follow its Zstandard frame")
    }
    var result = 0
    let decompressed = [UInt8](unsafeUninitializedCapacity: Int(byteCount)) { target, count in
      result = bytes.withUnsafeBytes { source in
        ZSTD_decompressDCtx(
          context, target.baseAddress, target.count, source.baseAddress, source.count)
      }
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else {
      throw .compression("zstd says: \(String(cString: ZSTD_getErrorName(result)))")
    }
    guard decompressed.count == Int(byteCount) else {
      throw .compression("expected \(byteCount) bytes, found \(decompressed.count)")
    }
    return decompressed
  }

  private func compressionContext() -> OpaquePointer? {
    compressor = compressor ?? ZSTD_createCCtx()
    return compressor
  }

  private func decompressionContext() -> OpaquePointer? {
    decompressor = decompressor ?? ZSTD_createDCtx()
    return decompressor
  }
}
