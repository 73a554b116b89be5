/// A picture of four inks, drawn in memory before it is sent to a device.
package struct Bitmap: Hashable, Sendable {
    /// The ink of a pixel. A display without colours may show all inks except `light` as dark: shapes also express
    /// what the colours express.
    package enum Ink: UInt8, CaseIterable, Sendable {
        /// The background: white, or a lit pixel.
        case light
        /// Black, or a pixel that is not lit.
        case dark
        /// Green; dark on a display without colours.
        case go
        /// Red; dark on a display without colours.
        case stop
    }

    /// A rectangle within a picture.
    package struct Area: Hashable, Sendable {
        /// The left edge (`x`), the upper edge (`y`) and the size, in pixels.
        package var x, y, width, height: Int

        /// Creates a rectangle.
        package init(x: Int, y: Int, width: Int, height: Int) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }

        /// Returns the rectangle that remains after `margin` pixels are removed on each side.
        func inset(_ margin: Int) -> Area {
            Area(
                x: x + margin, y: y + margin, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
        }
    }

    /// The size of the picture in pixels.
    package let width, height: Int
    /// The raw value of each pixel's ``Ink``, row by row from the top.
    package private(set) var pixels: [UInt8]

    /// Creates a light picture of `width` × `height` pixels.
    package init(width: Int, height: Int) {
        (self.width, self.height) = (max(width, 0), max(height, 0))
        pixels = [UInt8](repeating: Ink.light.rawValue, count: self.width * self.height)
    }

    /// The area of the whole picture.
    var area: Area { Area(x: 0, y: 0, width: width, height: height) }

    /// Returns the ink of a pixel. A pixel outside the picture is light.
    package func ink(x: Int, y: Int) -> Ink {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return .light }
        return Ink(rawValue: pixels[y * width + x]) ?? .light
    }

    /// Fills a rectangle. Ignores the part outside the picture.
    mutating func fill(_ area: Area, _ ink: Ink) {
        let (left, right) = (max(area.x, 0), min(area.x + area.width, width))
        guard left < right else { return }
        for y in max(area.y, 0)..<max(max(area.y, 0), min(area.y + area.height, height)) {
            for index in y * width + left..<y * width + right { pixels[index] = ink.rawValue }
        }
    }

    /// Draws a line of text whose upper left corner is at (`x`, `y`), with `scale` × `scale` pixels for each dot.
    mutating func draw(_ text: String, x: Int, y: Int, scale: Int, _ ink: Ink = .dark) {
        for (index, character) in text.enumerated() {
            let left = x + index * BitmapFont.advance * scale
            if left >= width { return }
            let rows = BitmapFont.rows(of: character)
            let top = y - (rows.count - BitmapFont.height) * scale
            for (row, bits) in rows.enumerated() {
                for column in 0..<BitmapFont.width where bits >> UInt8(BitmapFont.width - 1 - column) & 1 == 1 {
                    fill(Area(x: left + column * scale, y: top + row * scale, width: scale, height: scale), ink)
                }
            }
        }
    }

    /// Draws a word whose upper left corner is at (`x`, `y`), with `scale` × `scale` pixels for each dot.
    mutating func draw(_ word: DevanagariWords.Picture, x: Int, y: Int, scale: Int) {
        for (place, isDark) in word.pixels.enumerated() where isDark {
            let (column, row) = (place % word.width, place / word.width)
            fill(Area(x: x + column * scale, y: y + row * scale, width: scale, height: scale), .dark)
        }
    }

    /// Draws a QR code with its quiet zone, whose upper left corner is at (`x`, `y`), with `scale` × `scale` pixels
    /// for each module.
    mutating func draw(_ code: QRCode, x: Int, y: Int, scale: Int) {
        let span = (code.side + 2 * QRCode.quietZone) * scale
        fill(Area(x: x, y: y, width: span, height: span), .light)
        for row in 0..<code.side {
            for column in 0..<code.side where code.isDark(x: column, y: row) {
                let (left, top) = (x + (column + QRCode.quietZone) * scale, y + (row + QRCode.quietZone) * scale)
                fill(Area(x: left, y: top, width: scale, height: scale), .dark)
            }
        }
    }

    /// Draws a shape in the largest square at the upper left of `area`. `ink` returns the ink for a position in the
    /// square, from (0, 0) to (1, 1); nil leaves the pixel unchanged.
    mutating func draw(in area: Area, _ ink: (_ x: Double, _ y: Double) -> Ink?) {
        let side = min(area.width, area.height)
        for row in 0..<max(side, 0) {
            for column in 0..<side {
                let (x, y) = (area.x + column, area.y + row)
                guard (0..<width).contains(x), (0..<height).contains(y) else { continue }
                guard let ink = ink((Double(column) + 0.5) / Double(side), (Double(row) + 0.5) / Double(side)) else {
                    continue
                }
                pixels[y * width + x] = ink.rawValue
            }
        }
    }

    /// Returns the picture turned clockwise by `quarters` quarter turns.
    package func rotated(quarters: Int) -> Bitmap {
        var (from, rest) = (self, ((quarters % 4) + 4) % 4)
        while rest > 0 {
            var turned = Bitmap(width: from.height, height: from.width)
            for y in 0..<from.height {
                for x in 0..<from.width {
                    turned.pixels[x * turned.width + (from.height - 1 - y)] = from.pixels[y * from.width + x]
                }
            }
            (from, rest) = (turned, rest - 1)
        }
        return from
    }

    /// The picture as one bit per pixel. Each row begins with a new byte, and the highest bit is the leftmost pixel.
    /// A bit is 1 if the pixel is light; the padding bits at the end of a row are 1.
    package var lightBits: [UInt8] {
        let stride = (width + 7) / 8
        var bits = [UInt8](repeating: 0xFF, count: stride * height)
        for y in 0..<height {
            for x in 0..<width where pixels[y * width + x] != Ink.light.rawValue {
                bits[y * stride + x / 8] &= ~(0x80 >> UInt8(x % 8))
            }
        }
        return bits
    }

    /// The picture as lines of characters for a terminal. Each character is one pixel wide and two pixels high.
    /// Pixels that are not light have the terminal's foreground colour.
    var halfBlocks: [String] {
        stride(from: 0, to: height, by: 2).map { y in
            (0..<width).map { x in
                switch (ink(x: x, y: y) != .light, ink(x: x, y: y + 1) != .light) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }
}
