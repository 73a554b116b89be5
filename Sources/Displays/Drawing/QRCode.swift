import CQrencode
import Encoding

/// A QR code (ISO/IEC 18004) as a square of dark and light modules.
package struct QRCode: Hashable, Sendable {
    /// The error for a text that does not fit a QR code (about 2,900 bytes), is empty, or contains a zero
    /// byte.
    package struct TooLong: Error, Hashable, Sendable {}

    /// The width of the light margin that readers require around the symbol, in modules (ISO/IEC 18004 section
    /// 6.3.8).
    static let quietZone = 4

    /// The number of modules per side without the quiet zone, 21 to 177.
    package let side: Int
    private let dark: [Bool]

    /// Encodes a text in the smallest symbol. The error correction is M (15 % of the symbol may be unreadable) if the
    /// symbol is then no larger than with L, otherwise it is L (7 %).
    package init(_ text: String) throws(TooLong) {
        guard !text.isEmpty, !text.utf8.contains(0), let small = Self.encode(text, QR_ECLEVEL_L) else {
            throw TooLong()
        }
        let strong = Self.encode(text, QR_ECLEVEL_M)
        self = strong.flatMap { $0.side == small.side ? $0 : nil } ?? small
    }

    private init(side: Int, dark: [Bool]) { (self.side, self.dark) = (side, dark) }

    private static func encode(_ text: String, _ level: QRecLevel) -> QRCode? {
        // The library divides the text into segments, and encodes segments of capitals and digits with fewer bits.
        guard let code = QRcode_encodeString(text, 0, level, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        // The lowest bit of each byte is the colour: 1 means dark. The other bits name the part of the symbol to
        // which the module belongs.
        return QRCode(side: side, dark: (0..<side * side).map { code.pointee.data[$0] & 1 == 1 })
    }

    /// Returns whether a module is dark. Outside the symbol all modules are light.
    package func isDark(x: Int, y: Int) -> Bool {
        (0..<side).contains(x) && (0..<side).contains(y) && dark[y * side + x]
    }

    /// Returns lines for a terminal, with the quiet zone. Each character is one module wide and two modules high.
    ///
    /// With `colours`, escape sequences set black and white, so that the code can be read on light and dark
    /// terminals. Without them, a terminal with light text on a dark ground is assumed, and light modules are drawn
    /// as text.
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
            // The colours 16 and 231 of a terminal are black and white in every theme.
            return (colours ? "\u{1B}[38;5;16;48;5;231m" : "") + cells.joined() + (colours ? "\u{1B}[0m" : "")
        }
    }
}
