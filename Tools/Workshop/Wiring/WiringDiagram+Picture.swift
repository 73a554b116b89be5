extension WiringDiagram {
    /// The diagram as the text of an SVG file.
    var svg: String { picture.svg }

    /// The diagram as a picture: the header on the left, then boxes, wires and parts.
    var picture: Picture {
        let margin = DiagramLayout.margin
        let top = margin + 44
        let layout = DiagramLayout(self, left: margin + HeaderPicture.width + 28, top: top)
        var picture = Picture(title: title, description: description)
        let used = pins.reduce(into: [Int: String]()) { colours, pin in
            colours[pin.value] = boxes[0].right(at: pin.key).flatMap(Colour.of) ?? Colour.bus
        }
        picture.shapes.append(.label(Label(text: title, x: margin, y: margin + 8, size: 18, isBold: true)))
        let header = HeaderPicture.shapes(x: margin - 12, y: top, used: used)
        let wired = wires.flatMap { shapes($0, layout) }
        picture.shapes += header.shapes + wired + parts.flatMap { shapes($0, layout) }
        picture.shapes += boxes.flatMap { shapes($0, layout) }
        let titleEnd = margin + Label.width(title, size: 18, isBold: true)
        picture.width = max(layout.right, titleEnd) + margin
        picture.height = max(layout.bottom, header.bottom) + margin
        return picture
    }

    /// A description of the wires and parts in words, for people who cannot see the picture.
    private var description: String {
        let lines = wires.map { wire -> String in
            let pin = wire.columns.lowerBound == 0 ? pins[wire.row].map { " (pin \($0))" } ?? "" : ""
            return "\(title(wire.columns.lowerBound, wire.row)) \(wire.from)\(pin) to "
                + "\(title(wire.columns.upperBound, wire.row)) \(wire.to)" + through(wire)
        }
        let upright = parts.filter(\.isUpright).map { part in
            "\(part.words) from \(end(part, part.rows.lowerBound)) to "
                + "\(end(part, part.rows.upperBound))"
        }
        return (lines + upright).joined(separator: "; ")
    }

    /// Returns a text with the parts on a wire, from left to right; empty if there are none.
    private func through(_ wire: Wire) -> String {
        let names = parts.filter { part in
            !part.isUpright && part.rows.lowerBound == wire.row && wire.columns.lowerBound <= part.gap
                && part.gap < wire.columns.upperBound
        }.sorted { ($0.gap, $0.lane) < ($1.gap, $1.lane) }.map(\.words)
        return names.isEmpty ? "" : ", through " + names.joined(separator: ", ")
    }

    private func title(_ column: Int, _ row: Int) -> String {
        boxes.first { $0.column == column && $0.rows.contains(row) }?.title ?? ""
    }

    /// Returns the name of the terminal or wire to which an upright part is connected in row `row`.
    private func end(_ part: Part, _ row: Int) -> String {
        for box in boxes where box.rows.contains(row) {
            if box.column == part.gap, let name = box.right(at: row) {
                let pin = box.column == 0 ? pins[row].map { " (pin \($0))" } ?? "" : ""
                return "\(box.title) \(name)\(pin)"
            }
            if box.column == part.gap + 1, let name = box.left(at: row) { return "\(box.title) \(name)" }
        }
        return wires.first { $0.row == row && $0.columns.contains(part.gap) }.map(\.from) ?? ""
    }

    // MARK: - Colours

    /// Returns the colour of a wire: that of the supply or ground that the wire carries, or that of its signal up to
    /// the driver. A wire after a contact has the neutral colour.
    private func colour(_ wire: Wire) -> String {
        if [wire.from, wire.to].contains(where: { $0.hasPrefix("+") }) { return Colour.supply }
        if let colour = Colour.of(wire.from) { return colour }
        let signal = boxes[0].right(at: wire.row).flatMap(Colour.of)
        return wire.columns.lowerBound < 2 ? signal ?? Colour.contact : Colour.contact
    }

    private func wire(_ row: Int, in gap: Int) -> Wire? {
        wires.first { $0.row == row && $0.columns.lowerBound <= gap && gap < $0.columns.upperBound }
    }

    private func colour(_ part: Part) -> String {
        if part.isUpright { return part.kind == .fuse ? Colour.supply : Colour.ink }
        guard let wire = wire(part.rows.lowerBound, in: part.gap) else { return Colour.ink }
        return colour(wire)
    }

    // MARK: - Shapes

    private func shapes(_ wire: Wire, _ layout: DiagramLayout) -> [Picture.Shape] {
        let y = layout.y(wire.row)
        let (from, to) = (layout.right(wire.columns.lowerBound), layout.left(wire.columns.upperBound))
        return [.line(points: [(from, y), (to, y)], colour: colour(wire), width: 3)]
    }

    private func shapes(_ part: Part, _ layout: DiagramLayout) -> [Picture.Shape] {
        let (middle, colour) = (layout.centre(part), colour(part))
        var shapes: [Picture.Shape] = []
        if part.isUpright {
            for row in [part.rows.lowerBound, part.rows.upperBound] {
                let y = layout.y(row)
                let end = middle.y + (y < middle.y ? -12 : 12)
                if wire(row, in: part.gap) != nil {
                    shapes.append(.line(points: [(middle.x, y), (middle.x, end)], colour: colour, width: 2))
                    shapes.append(.circle(x: middle.x, y: y, radius: 4, fill: colour, line: colour))
                } else {
                    let terminal = boxes.first { $0.column == part.gap && $0.right(at: row) != nil }?.right(at: row)
                    let edge = terminal != nil ? layout.right(part.gap) : layout.left(part.gap + 1)
                    let colour = terminal.flatMap(Colour.of) ?? colour
                    shapes.append(.line(points: [(edge, y), (middle.x, y), (middle.x, end)], colour: colour, width: 3))
                    guard isPassed(part, row, terminal != nil) else { continue }
                    shapes.append(.circle(x: middle.x, y: y, radius: 4, fill: colour, line: colour))
                }
            }
        }
        shapes += Symbol.shapes(part.kind, at: middle, isUpright: part.isUpright, colour: colour)
        guard !part.label.isEmpty else { return shapes }
        let size = DiagramLayout.labelSize - 1
        let label =
            part.isUpright
            ? Label(text: part.label, x: middle.x + Symbol.halfWidth + 4, y: middle.y, size: size, colour: Colour.ink)
            : Label(
                text: part.label, x: middle.x, y: middle.y - (part.kind.isContact ? 22 : 15), size: size,
                anchor: .middle, colour: Colour.ink)
        return shapes + [.label(label)]
    }

    /// Returns whether the line from a terminal to an upright part continues to another part.
    private func isPassed(_ part: Part, _ row: Int, _ isLeft: Bool) -> Bool {
        parts.contains { other in
            other.gap == part.gap && other.isUpright && [other.rows.lowerBound, other.rows.upperBound].contains(row)
                && (isLeft ? other.lane > part.lane : other.lane < part.lane)
        }
    }

    private func shapes(_ box: Box, _ layout: DiagramLayout) -> [Picture.Shape] {
        let frame = layout.frame(box)
        let isBoard = box.column == 0
        var shapes: [Picture.Shape] = [
            .box(
                x: frame.x, y: frame.y, width: frame.width, height: frame.height, radius: 8,
                fill: isBoard ? "#ecfdf5" : "#f8fafc", line: isBoard ? "#047857" : "#64748b"),
            .label(
                Label(
                    text: box.title, x: frame.x + frame.width / 2, y: layout.y(box.row), size: DiagramLayout.titleSize,
                    isBold: true, anchor: .middle)),
        ]
        for row in box.rows {
            let y = layout.y(row)
            if let name = box.left(at: row) { shapes.append(.label(Label(text: name, x: frame.x + 10, y: y))) }
            guard let name = box.right(at: row) else { continue }
            let edge = frame.x + frame.width
            let inset = isBoard ? DiagramLayout.pinRadius + 6 : 10
            shapes.append(.label(Label(text: name, x: edge - inset, y: y, anchor: .end)))
            guard let pin = pins[row], isBoard else { continue }
            shapes.append(
                .circle(
                    x: edge, y: y, radius: DiagramLayout.pinRadius, fill: Colour.of(name) ?? Colour.bus,
                    line: "#ffffff"))
            shapes.append(
                .label(
                    Label(
                        text: String(pin), x: edge, y: y, size: 12, isBold: true, anchor: .middle, colour: "#ffffff")))
        }
        return shapes
    }
}

extension WiringDiagram.Part {
    /// A description of the part in words, for people who cannot see the picture.
    fileprivate var words: String {
        let name = kind == .open || kind == .closed ? "contact \(kind.rawValue) at rest" : kind.rawValue
        return label.isEmpty ? name : "\(name) \(label)"
    }
}
