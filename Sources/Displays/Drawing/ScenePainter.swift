/// Draws scenes as pictures of one size. The code is as large as possible; the visits and the instruction are to its
/// right or below it.
package struct ScenePainter: Sendable {
    /// `least`: the minimum width for text to the right of the code (eight letters). `lowest`: the minimum height for
    /// text below the code (two lines). Both in pixels.
    static let (least, lowest) = (48, 20)

    private let width, height: Int
    private var drawn: (text: String, code: QRCode)?

    /// Creates a painter for pictures of `width` × `height` pixels.
    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// Returns whether a picture of `width` × `height` pixels has space for the code of every invitation.
    package static func hasRoomForCode(width: Int, height: Int) -> Bool {
        // The code of the longest invitation has 37 modules per side.
        split(width: width, height: height, modules: 37 + 2 * QRCode.quietZone) != nil
    }

    /// Draws a scene. If the code does not fit, it is left out, and the text asks visitors to scan the code of
    /// another display.
    package mutating func paint(_ scene: DisplayScene) -> Bitmap {
        var picture = Bitmap(width: width, height: height)
        let code = scene.state.isServing ? scene.code.flatMap { encode($0) } : nil
        let split = code.flatMap {
            Self.split(width: width, height: height, modules: $0.side + 2 * QRCode.quietZone)
        }
        if let code, let split { picture.draw(code, x: split.x, y: split.y, scale: split.scale) }
        let area = split?.panel ?? picture.area
        if let result = scene.result {
            Self.draw(result, scene, in: area, of: &picture)
        } else {
            Self.draw(scene, hasCode: split != nil, in: area, of: &picture)
        }
        return picture
    }

    private mutating func encode(_ text: String) -> QRCode? {
        if let drawn, drawn.text.utf8.elementsEqual(text.utf8) { return drawn.code }
        guard let code = try? QRCode(text) else { return nil }
        drawn = (text, code)
        return code
    }

    /// Returns the position and scale of the code, and the area for text to its right or below it; nil if the code
    /// does not fit.
    private static func split(
        width: Int, height: Int, modules: Int
    ) -> (x: Int, y: Int, scale: Int, panel: Bitmap.Area)? {
        var scale = min(width, height) / modules
        while scale > 0 {
            let span = scale * modules
            let (right, below) = (width - span, height - span)
            if right >= least, right >= below {
                return (0, below / 2, scale, .init(x: span, y: 0, width: right, height: height))
            }
            if below >= lowest { return (right / 2, 0, scale, .init(x: 0, y: span, width: width, height: below)) }
            if right >= least { return (0, below / 2, scale, .init(x: span, y: 0, width: right, height: height)) }
            scale -= 1
        }
        return nil
    }

    // MARK: - Text

    /// An item in a column of text.
    private enum Item {
        /// A text of one or more lines. With size 2 its letters are twice as large as with size 1.
        case text(String, size: Int)
        /// A progress bar, filled to `percent` per cent.
        case bar(percent: Int)
        /// An empty space between items.
        case gap
    }

    private static func draw(_ scene: DisplayScene, hasCode: Bool, in area: Bitmap.Area, of picture: inout Bitmap) {
        if case .outOfOrder = scene.state {
            let column = sign(in: area, of: &picture, isLast: scene.sign.isLast(go: false)) { Icon.attention($0, $1) }
            return draw(scene.language, in: column, of: &picture) { items(of: scene, hasCode, $0) }
        }
        if case .lockedDown = scene.state {
            let column = sign(in: area, of: &picture, isLast: scene.sign.isLast(go: false)) { Icon.cross($0, $1) }
            return draw(scene.language, in: column, of: &picture) { items(of: scene, hasCode, $0) }
        }
        draw(scene.language, in: area, of: &picture) { items(of: scene, hasCode, $0) }
    }

    private static func items(of scene: DisplayScene, _ hasCode: Bool, _ language: DisplayLanguage) -> [Item] {
        switch scene.state {
        case .outOfService: return [.text(scene.name, size: 2), .gap, .text(language.text(.outOfService), size: 1)]
        case .outOfOrder(let remedy):
            return [.text(language.text(.outOfOrder), size: 2), .gap, .text(remedy, size: 1)]
        case .lockedDown: return [.text(language.text(.closed), size: 2), .gap, .text(scene.name, size: 1)]
        case .inService, .freePassage:
            var items: [Item] = [.text(scene.name, size: 2), .gap]
            if scene.state == .freePassage { items += [.text(language.text(.freePassage), size: 1), .gap] }
            if scene.code == nil {
                items.append(.text(language.text(.wait), size: 1))
            } else if scene.guests.isEmpty {
                let instruction = language == scene.language ? scene.instruction : language.text(.scan)
                items.append(.text(hasCode ? instruction : language.text(.scanBeside), size: 1))
            }
            for guest in scene.guests { items += Self.items(of: guest, language) }
            return items
        }
    }

    private static func items(of guest: DisplayScene.Guest, _ language: DisplayLanguage) -> [Item] {
        switch guest.stage {
        case .choosing: [.text("\(guest.mark) \(language.text(.choosing))", size: 1)]
        case .receiving(let percent): [.text("\(guest.mark) \(percent) %", size: 1), .bar(percent: percent)]
        case .checking: [.text("\(guest.mark) \(language.text(.checking))", size: 1), .bar(percent: 100)]
        }
    }

    private static func draw(
        _ result: DisplayScene.Result, _ scene: DisplayScene, in area: Bitmap.Area, of picture: inout Bitmap
    ) {
        let isLast = scene.sign.isLast(go: result.outcome == .accepted)
        let column = sign(in: area, of: &picture, isLast: isLast, result.outcome.icon)
        draw(scene.language, in: column, of: &picture) { language in
            [.text(language.text(result.outcome.phrase), size: 1), .text(result.mark, size: 2)]
        }
    }

    /// Draws a picture, such as the one of a result, in the left or upper part of `area`, or with `isLast` in the
    /// right or lower part. Returns the remaining area for text.
    private static func sign(
        in area: Bitmap.Area, of picture: inout Bitmap, isLast: Bool, _ ink: (Double, Double) -> Bitmap.Ink?
    ) -> Bitmap.Area {
        let isBeside = area.width * 2 > area.height * 3
        let side = isBeside ? min(area.height, area.width * 2 / 5) : min(area.width, area.height * 3 / 5)
        let (across, down) = (area.width - side, area.height - side)
        var column = area
        var place = Bitmap.Area(x: area.x + across / 2, y: area.y + down / 2, width: side, height: side)
        if isBeside {
            place.x = isLast ? area.x + across : area.x
            (column.x, column.width) = (isLast ? area.x : area.x + side, across)
        } else {
            place.y = isLast ? area.y + down : area.y
            (column.y, column.height) = (isLast ? area.y : area.y + side, down)
        }
        picture.draw(in: place.inset(max(1, side / 16)), ink)
        return column
    }

    /// Draws the items one below the other, centred and as large as possible. If they do not all fit in the given
    /// language, draws them in English, whose letters are smaller. Leaves out the last items that still do not fit.
    private static func draw(
        _ language: DisplayLanguage, in area: Bitmap.Area, of picture: inout Bitmap,
        _ items: (DisplayLanguage) -> [Item]
    ) {
        let area = area.inset(max(1, min(area.width, area.height) / 24))
        if language != .english, let rows = rows(of: items(language)[...], in: area) {
            return draw(rows, in: area, of: &picture)
        }
        let items = items(.english)
        for count in stride(from: items.count, to: 0, by: -1) {
            guard let rows = rows(of: items.prefix(count), in: area) else { continue }
            return draw(rows, in: area, of: &picture)
        }
    }

    /// Returns the rows of all items, as large as possible; nil if they do not fit.
    private static func rows(of items: ArraySlice<Item>, in area: Bitmap.Area) -> [Row]? {
        let most = max(1, area.width / (BitmapFont.advance * 8))
        let layouts = (1...most).reversed().map { (unit: $0, isPlain: false) } + [(unit: 1, isPlain: true)]
        for (unit, isPlain) in layouts {
            let rows = items.flatMap {
                Self.rows(of: $0, unit: unit, isPlain: isPlain, width: area.width)
            }
            let height = rows.reduce(0) { $0 + $1.height }
            if height <= area.height, rows.allSatisfy({ $0.width <= area.width }) { return rows }
        }
        return nil
    }

    private static func draw(_ rows: [Row], in area: Bitmap.Area, of picture: inout Bitmap) {
        var y = area.y + (area.height - rows.reduce(0) { $0 + $1.height }) / 2
        for row in rows {
            row.draw(&picture, area.x + (area.width - row.width) / 2, y)
            y += row.height
        }
    }

    private struct Row {
        let width, height: Int
        let draw: (inout Bitmap, _ x: Int, _ y: Int) -> Void
    }

    private static func rows(of item: Item, unit: Int, isPlain: Bool, width: Int) -> [Row] {
        switch item {
        case .gap: return [Row(width: 0, height: 3 * unit) { _, _, _ in }]
        case .bar(let percent):
            let span = min(width, 8 * BitmapFont.advance * unit)
            return [
                Row(width: span, height: 5 * unit) { picture, x, y in
                    let frame = Bitmap.Area(x: x, y: y, width: span, height: 4 * unit)
                    picture.fill(frame, .dark)
                    picture.fill(frame.inset(max(1, unit / 2)), .light)
                    picture.fill(.init(x: x, y: y, width: span * percent / 100, height: 4 * unit), .dark)
                }
            ]
        case .text(let text, let size):
            // Use larger letters if the text then fits in one line; otherwise the smaller size, so that no name is
            // cut.
            let lettering = TextLayout(text)
            let large = isPlain ? unit : size * unit
            let scale = large * lettering.width <= width ? large : unit
            return lettering.lines(to: max(1, width / scale)).map { line in
                Row(width: (lettering.width(of: line) - 1) * scale, height: lettering.leading * scale) {
                    lettering.draw(line, on: &$0, x: $1, y: $2, scale: scale)
                }
            }
        }
    }

    /// Divides the text into lines of at most `limit` characters. A longer word has its own line and is not divided.
    static func wrapped(_ text: String, to limit: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension DisplayScene.Result.Outcome {
    /// The phrase that the display shows to visitors for a result.
    var phrase: DisplayPhrase {
        switch self {
        case .accepted: .accepted
        case .rejected: .rejected
        case .failed: .failed
        }
    }

    /// Returns the ink of a point in the picture of the result; nil outside the shape. Points are from (0, 0) to (1,
    /// 1).
    var icon: (Double, Double) -> Bitmap.Ink? {
        switch self {
        case .accepted: Icon.tick
        case .rejected: Icon.cross
        case .failed: Icon.attention
        }
    }
}

/// The pictures of results. They differ in outline as well as in colour: a tick in a disc, a cross in a square, an
/// exclamation mark in a triangle. Each function returns the ink of a point; nil outside the shape.
enum Icon {
    /// The picture for accepted: a tick in a disc.
    static func tick(_ x: Double, _ y: Double) -> Bitmap.Ink? {
        guard (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) <= 0.25 else { return nil }
        let stroke = min(distance(x, y, 0.24, 0.53, 0.43, 0.71), distance(x, y, 0.43, 0.71, 0.76, 0.32))
        return stroke <= 0.075 ? .light : .go
    }

    /// The picture for rejected: a cross in a square.
    static func cross(_ x: Double, _ y: Double) -> Bitmap.Ink? {
        let stroke = min(distance(x, y, 0.26, 0.26, 0.74, 0.74), distance(x, y, 0.74, 0.26, 0.26, 0.74))
        return stroke <= 0.08 ? .light : .stop
    }

    /// The picture for a failure: an exclamation mark in a triangle.
    static func attention(_ x: Double, _ y: Double) -> Bitmap.Ink? {
        guard y >= 0.04, y <= 0.96, abs(x - 0.5) <= (y - 0.04) / 0.92 * 0.5 else { return nil }
        let stroke = min(distance(x, y, 0.5, 0.4, 0.5, 0.64), distance(x, y, 0.5, 0.81, 0.5, 0.82))
        return stroke <= 0.06 ? .light : .dark
    }

    /// Returns the distance of a point from the line segment between two points.
    private static func distance(
        _ x: Double, _ y: Double, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double
    ) -> Double {
        let (dx, dy) = (x2 - x1, y2 - y1)
        let along = max(0, min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
        let (ex, ey) = (x - x1 - along * dx, y - y1 - along * dy)
        return (ex * ex + ey * ey).squareRoot()
    }
}
