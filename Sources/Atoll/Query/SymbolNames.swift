import Foundation

/// Names of computed properties, found by where the program has their getters.
///
/// A key path knows the getter's address and nothing else. Where the program does not export its
/// symbols, their table is in its file, unless that was stripped. Asked for only on the way to a
/// message.
enum SymbolNames {
  /// The property of a part such as `<computed 0x00007f00 (Int)>`; nil if it cannot be found.
  static func property(of part: String) -> String? {
    guard let start = part.range(of: "0x") else { return nil }
    let digits = part[start.upperBound...].prefix(while: \.isHexDigit)
    guard let address = UInt(digits, radix: 16), let symbol = symbol(at: address),
      let text = demangled(symbol)
    else { return nil }
    return property(inDemangled: text)
  }

  /// The property of the text of a getter or its thunk, `Module.Class.double.getter : Swift.Int`.
  static func property(inDemangled text: String) -> String? {
    let getter = text.replacingOccurrences(of: "key path getter for ", with: "")
    guard let declaration = getter.components(separatedBy: " : ").first else { return nil }
    let names = declaration.components(separatedBy: ".").filter { $0 != "getter" }
    guard let name = names.last, !name.isEmpty, name.allSatisfy({ !$0.isWhitespace }) else {
      return nil
    }
    return name
  }

  private static func demangled(_ symbol: String) -> String? {
    guard let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  #if os(Linux)
  private static func symbol(at address: UInt) -> String? {
    guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else {
      return nil
    }
    // `7f00-8f00 r-xp 00001000 fe:01 1234 /path/of/the/program`
    let mappings = maps.split(separator: "\n").compactMap {
      line -> (ClosedRange<UInt>, String)? in
      let fields = line.split(separator: " ", maxSplits: 5)
      let bounds = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
      guard fields.count == 6, bounds.count == 2, bounds[0] < bounds[1] else { return nil }
      return (bounds[0]...(bounds[1] - 1), fields[5].trimmingCharacters(in: .whitespaces))
    }
    guard let file = mappings.first(where: { $0.0.contains(address) })?.1,
      let base = mappings.filter({ $0.1 == file }).map(\.0.lowerBound).min(),
      let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
    else { return nil }
    return data.withUnsafeBytes { file in
      SymbolTable(file)?.name(at: [UInt64(address - base), UInt64(address)])
    }
  }
  #else
  /// The description of a key path has the name already, where there is one.
  private static func symbol(at address: UInt) -> String? { nil }
  #endif
}

@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// The symbols in a program's file, in the format ELF for 64 bits.
struct SymbolTable {
  private let file: UnsafeRawBufferPointer

  /// Nil for a file of another format.
  init?(_ file: UnsafeRawBufferPointer) {
    guard file.count > 64, file.prefix(6).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
      return nil
    }
    self.file = file
  }

  /// The name of the symbol that begins at the first of these addresses at which one does.
  func name(at addresses: [UInt64]) -> String? {
    let sections = sections
    for table in sections where table.type == 2 && sections.indices.contains(table.link) {
      let strings = sections[table.link]
      for address in addresses {
        for index in 0..<table.size / 24 {
          let entry = table.offset + index * 24
          guard number(entry + 8, UInt64.self) == address, let name = number(entry, UInt32.self)
          else { continue }
          return text(at: strings.offset + Int(name), before: strings.offset + strings.size)
        }
      }
    }
    return nil
  }

  private struct Section {
    var type: UInt32
    var offset: Int
    var size: Int
    var link: Int
  }

  private var sections: [Section] {
    guard let start = place(0x28), let size = number(0x3A, UInt16.self), size >= 64,
      let count = number(0x3C, UInt16.self)
    else { return [] }
    return (0..<Int(count)).compactMap { index in
      let header = start + index * Int(size)
      guard let type = number(header + 4, UInt32.self), let offset = place(header + 24),
        let length = place(header + 32), let link = number(header + 40, UInt32.self)
      else { return nil }
      return Section(type: type, offset: offset, size: length, link: Int(link))
    }
  }

  /// A place in the file, or a length; sums of them stay far from overflowing.
  private func place(_ offset: Int) -> Int? {
    number(offset, UInt64.self).flatMap { $0 <= UInt64(file.count) ? Int($0) : nil }
  }

  private func number<N: FixedWidthInteger>(_ offset: Int, _: N.Type) -> N? {
    guard offset >= 0, offset + MemoryLayout<N>.size <= file.count else { return nil }
    return N(littleEndian: file.loadUnaligned(fromByteOffset: offset, as: N.self))
  }

  private func text(at place: Int, before end: Int) -> String? {
    guard place >= 0, place < end, end <= file.count else { return nil }
    return String(decoding: file[place..<end].prefix { $0 != 0 }, as: UTF8.self)
  }
}
