/// The layout of a link's bytes (`protocol/frames.md`, "Layout").
///
///     link:   preamble (8) ┊ frame ┊ frame ┊ …
///     frame:  payload length (4) ┊ kind (1) ┊ payload ┊ CRC-32C of all before (4)
enum FrameLayout {
  /// Told apart from text by its first byte, and from text-mode transfers by its last two.
  static let preamble: [UInt8] = [0x89, 0x41, 0x54, 0x4F, 0x4C, 0x4C, 0x0D, 0x0A]
  static let headerBytes = 5
  static let checksumBytes = 4
}
