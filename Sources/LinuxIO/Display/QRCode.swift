import CQrencode
import Encoding

/// A QR code (ISO/IEC 18004) as a square of dark and light modules.
package struct QRCode: Hashable, Sendable {
    /// The text does not fit a QR code (about 2,300 bytes at this error correction).
    package struct TooLong: Error, Hashable, Sendable {}

    /// Light modules around the symbol that readers need (ISO/IEC 18004 section 6.3.8).
    package static let quietZone = 4

    /// Modules of one side without the quiet zone, 21 to 177.
    package let side: Int
    private let dark: [Bool]

    /// Encodes a text byte by byte with error correction M (15 % of the symbol may be unreadable).
    package init(_ text: String) throws(TooLong) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(clamping: bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw TooLong()
        }
        defer { QRcode_free(code) }
        side = Int(code.pointee.width)
        // The lowest bit of each byte is the colour; the others say what part of the symbol it is.
        dark = (0..<side * side).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether the module is dark; everything outside the symbol is light.
    package func isDark(x: Int, y: Int) -> Bool {
        (0..<side).contains(x) && (0..<side).contains(y) && dark[y * side + x]
    }

    /// Lines for a terminal, two modules above each other in a character, quiet zone included.
    ///
    /// With `colours` black and white are set by escape sequences, so that the code reads on light and dark terminals alike;
    /// without, the terminal is taken to be dark and its foreground stands for light modules.
    package func terminalLines(colours: Bool = true) -> [String] {
        let span = -Self.quietZone..<side + Self.quietZone
        return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { y in
            let cells = span.map { x in
                switch (isDark(x: x, y: y) == colours, isDark(x: x, y: y + 1) == colours) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            // 16 and 231 of the 256 colours are black and white in every theme.
            return (colours ? "\u{1B}[38;5;16;48;5;231m" : "") + cells.joined() + (colours ? "\u{1B}[0m" : "")
        }
    }

    /// A black and white PNG (ISO/IEC 15948) with `scale` pixels a module, quiet zone included.
    package func png(scale: Int) -> [UInt8] {
        let (scale, margin) = (max(1, scale), Self.quietZone)
        let pixels = (side + 2 * margin) * scale
        var rows: [UInt8] = []
        for y in -margin..<side + margin {
            var row = [UInt8](repeating: 0xFF, count: 1 + (pixels + 7) / 8)
            row[0] = 0  // Filter type: none.
            for x in 0..<side where isDark(x: x, y: y) {
                for pixel in (x + margin) * scale..<(x + margin + 1) * scale {
                    row[1 + pixel / 8] &= ~(0x80 >> (pixel % 8))
                }
            }
            for _ in 0..<scale { rows.append(contentsOf: row) }
        }
        var header: [UInt8] = []
        header.appendBE(UInt32(pixels))
        header.appendBE(UInt32(pixels))
        header += [1, 0, 0, 0, 0]  // One bit a pixel, grey, deflate, standard filters, not interlaced.
        // Deflating fails only without memory; an empty image is then refused by its viewer.
        let data = (try? Gzip.deflate(rows, container: .zlib)) ?? []
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header) + Self.chunk("IDAT", data)
            + Self.chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBE(UInt32(data.count))
        let body = Array(type.utf8) + data
        bytes += body
        bytes.appendBE(crc32(body))
        return bytes
    }

    /// CRC-32 of ISO/IEC 15948 annex D: polynomial 0xEDB88320, reflected.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
