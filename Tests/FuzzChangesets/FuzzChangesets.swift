import FuzzKit

/// The function that libFuzzer calls with every input; 0 keeps the input if it found something new.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChangeset(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ChangesetInput.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
