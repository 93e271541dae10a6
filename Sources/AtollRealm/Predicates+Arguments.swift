public import Atoll
public import Foundation

// A stand-in for `CVarArg`, to which applications cast arguments of `NSPredicate(format:)`, as
// Apple's systems require. Here any value can be an argument, and the cast compiles all the same.
// Where one of these is an argument of `String(format:)`, its text is printed.

#if !canImport(ObjectiveC)
/// An argument that is printed as its text where C takes an argument; of the library's own.
public protocol _TextArgument: _CVarArgObject, CustomStringConvertible {}

extension _TextArgument {
  public var _cVarArgObject: any CVarArg { NSString(string: description) }
  public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension ObjectId: _TextArgument {}
extension Decimal128: _TextArgument {}
extension Date: _TextArgument, @retroactive _CVarArgObject, @retroactive CVarArg {}
extension UUID: _TextArgument, @retroactive _CVarArgObject, @retroactive CVarArg {}
extension Data: _TextArgument, @retroactive _CVarArgObject, @retroactive CVarArg {}
#endif
