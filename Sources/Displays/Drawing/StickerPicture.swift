/// The picture of a QR code to print: the gate's name, the code, and lines of text such as the last day of its
/// validity.
package enum StickerPicture {
    /// The side of one module of the code in pixels. The code is then about 8 cm wide at 300 pixels per inch.
    private static let scale = 20

    /// Draws the picture. `text` is the content of the code. The `lines` are printed below the code. Returns nil if
    /// `text` does not fit into a QR code.
    package static func paint(name: String, code text: String, lines: [String]) -> Bitmap? {
        guard let code = try? QRCode(text) else { return nil }
        let span = (code.side + 2 * QRCode.quietZone) * scale
        let (title, rest) = (rows(name, width: span, most: 12), lines.map { rows($0, width: span, most: 6) })
        let leading = BitmapFont.leading + 3
        let height = leading * (title.scale + rest.reduce(0) { $0 + $1.scale }) + span
        var picture = Bitmap(width: span, height: height + leading)
        var y = leading / 2
        draw(name, title, &y, &picture)
        picture.draw(code, x: 0, y: y, scale: scale)
        y += span
        for (line, row) in zip(lines, rest) { draw(line, row, &y, &picture) }
        return picture
    }

    private static func rows(_ text: String, width: Int, most: Int) -> (scale: Int, x: Int) {
        let dots = max(text.count, 1) * BitmapFont.advance
        let scale = max(1, min(most, width / dots))
        return (scale, max(0, (width - dots * scale) / 2))
    }

    private static func draw(_ text: String, _ row: (scale: Int, x: Int), _ y: inout Int, _ picture: inout Bitmap) {
        picture.draw(text, x: row.x, y: y, scale: row.scale)
        y += (BitmapFont.leading + 3) * row.scale
    }
}
