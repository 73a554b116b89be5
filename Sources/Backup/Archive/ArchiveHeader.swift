/// The header of a file in a tar archive (POSIX.1-1988 ustar): a block of 512 bytes. Only regular files have a header
/// of this form, so an archive contains neither links nor devices.
struct ArchiveHeader: Hashable, Sendable {
    /// The size of a block in bytes. A file is padded with zeros to whole blocks.
    static let blockBytes = 512
    /// The maximum length of a name in bytes.
    static let nameLimit = 100
    /// The maximum size of a file in bytes: the header has eleven octal digits for it.
    static let sizeLimit = 0o77777777777

    /// The file's path, relative to the archive.
    let name: String
    /// The size of the file's content in bytes.
    let size: Int

    /// The number of padding bytes that follow the file's content in the archive.
    var padding: Int { (Self.blockBytes - size % Self.blockBytes) % Self.blockBytes }

    /// Creates a header. Nil if a header of this form cannot contain the name or the size.
    init?(name: String, size: Int) {
        guard (1...Self.nameLimit).contains(name.utf8.count), (0...Self.sizeLimit).contains(size), !name.hasPrefix("/"),
            !name.split(separator: "/", omittingEmptySubsequences: false).contains(where: {
                ["", ".", ".."].contains($0)
            }),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        (self.name, self.size) = (name, size)
    }

    /// The bytes of the header, with mode 0600, owner and group 0, and the modification time 0 (the year 1970).
    var block: [UInt8] {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: max(0, count - text.utf8.count))
        }
        func octal(_ value: Int, _ count: Int) -> [UInt8] {
            let digits = String(value, radix: 8)
            return field(String(repeating: "0", count: max(0, count - 1 - digits.utf8.count)) + digits, count)
        }
        let before =
            field(name, Self.nameLimit) + octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12)
        let behind = Array("0".utf8) + field("", 100) + Array("ustar\u{0}00".utf8) + field("", 247)
        let sum = (before + behind).reduce(8 * 0x20) { $0 + Int($1) }
        return before + field(String(String(sum + 0o1000000, radix: 8).suffix(6)) + "\u{0} ", 8) + behind
    }

    /// Reads a header. Nil unless the bytes are exactly the ``block`` of that header.
    init?(block: [UInt8]) {
        guard block.count == Self.blockBytes else { return nil }
        let name = String(decoding: block.prefix { $0 != 0 }.prefix(Self.nameLimit), as: UTF8.self)
        guard let size = Int(String(decoding: block[124..<135], as: UTF8.self), radix: 8) else { return nil }
        self.init(name: name, size: size)
        guard self.block == block else { return nil }
    }
}
