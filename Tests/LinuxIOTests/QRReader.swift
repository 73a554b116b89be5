/// Reads a QR code from a picture. It is written from ISO/IEC 18004, independently of the product's own code:
/// it finds the symbol, its module size and its mask, and reads the text. It supports only version 5 with
/// error correction level L or M, and does not correct errors.
enum QRReader {
    /// Returns the text of the symbol in the picture; nil if no symbol can be read without correction.
    static func read(width: Int, height: Int, isDark: (Int, Int) -> Bool) -> String? {
        guard let (left, top, scale) = find(width, height, isDark) else { return nil }
        let side = 37
        guard left + side * scale <= width, top + side * scale <= height else { return nil }
        func module(_ x: Int, _ y: Int) -> Bool { isDark(left + x * scale + scale / 2, top + y * scale + scale / 2) }
        // The quiet zone: four light modules on each side.
        for away in 1...4 {
            for along in -away..<side + away {
                for (x, y) in [(along, -away), (along, side - 1 + away), (-away, along), (side - 1 + away, along)] {
                    let (column, row) = (left + x * scale, top + y * scale)
                    if column < 0 || row < 0 || column >= width || row >= height || isDark(column, row) { return nil }
                }
            }
        }
        // Format: five bits under a mask, the first of them at the left of the timing line.
        let format = (0..<5).reduce(0) { $0 << 1 | (module($1, 8) ? 1 : 0) } ^ 0b10101
        guard format >> 3 <= 0b01 else { return nil }
        var bits: [Bool] = []
        var (column, isUpward) = (side - 1, true)
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<side {
                let y = isUpward ? side - 1 - step : step
                for x in [column, column - 1] where !isFunction(x, y, side) {
                    bits.append(module(x, y) != isMasked(format & 7, x, y))
                }
            }
            (column, isUpward) = (column - 2, !isUpward)
        }
        // Level L has one block of 108 bytes; level M has two of 43, whose bytes alternate.
        if format >> 3 == 0b01 { return text(of: Array(bits.prefix(108 * 8))) }
        let bytes = (0..<86).map { Array(bits[$0 * 8..<$0 * 8 + 8]) }
        return text(of: [0, 1].flatMap { block in stride(from: block, to: 86, by: 2).flatMap { bytes[$0] } })
    }

    /// The first dark pixel is the corner of a finder pattern, seven modules wide.
    private static func find(
        _ width: Int, _ height: Int, _ isDark: (Int, Int) -> Bool
    ) -> (left: Int, top: Int, scale: Int)? {
        for y in 0..<height {
            for x in 0..<width where isDark(x, y) {
                var run = 0
                while x + run < width, isDark(x + run, y) { run += 1 }
                return run >= 7 && run % 7 == 0 ? (x, y, run / 7) : nil
            }
        }
        return nil
    }

    private static func isFunction(_ x: Int, _ y: Int, _ side: Int) -> Bool {
        (x < 9 && y < 9) || (x >= side - 8 && y < 9) || (x < 9 && y >= side - 8) || x == 6 || y == 6
            || (abs(x - 30) <= 2 && abs(y - 30) <= 2)
    }

    private static func isMasked(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (y / 2 + x / 3) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private static func text(of bits: [Bool]) -> String? {
        var place = 0
        func take(_ count: Int) -> Int? {
            guard place + count <= bits.count else { return nil }
            defer { place += count }
            return bits[place..<place + count].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let capitals = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
        var bytes: [UInt8] = []
        while let mode = take(4), mode != 0 {
            switch mode {
            case 1:
                guard var count = take(10) else { return nil }
                while count > 0 {
                    let digits = min(count, 3)
                    guard let value = take(digits * 3 + 1) else { return nil }
                    let text = String(value)
                    bytes += Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
                    count -= digits
                }
            case 2:
                guard var count = take(9) else { return nil }
                while count > 0 {
                    guard let value = take(count > 1 ? 11 : 6), value < 45 * 45 else { return nil }
                    bytes += count > 1 ? [capitals[value / 45], capitals[value % 45]] : [capitals[value % 45]]
                    count -= min(count, 2)
                }
            case 4:
                guard let count = take(8) else { return nil }
                for _ in 0..<count {
                    guard let byte = take(8) else { return nil }
                    bytes.append(UInt8(byte))
                }
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
