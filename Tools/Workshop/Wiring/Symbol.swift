/// The symbols of small parts. Each is drawn around its middle, horizontally or upright.
enum Symbol {
    /// The distances in pixels from the middle of a symbol to its ends, and to its sides.
    static let halfLength = 18
    static let halfWidth = 9

    static func shapes(
        _ kind: WiringDiagram.Part.Kind, at middle: (x: Int, y: Int), isUpright: Bool, colour: String
    ) -> [Picture.Shape] {
        /// Returns a point from its position `along` the wire and its distance `beside` the wire. For upright
        /// parts, "along" is upwards.
        func at(_ along: Int, _ beside: Int) -> (x: Int, y: Int) {
            isUpright ? (middle.x + beside, middle.y - along) : (middle.x + along, middle.y + beside)
        }
        /// Returns a circle for the pole of a contact.
        func end(_ along: Int) -> Picture.Shape {
            .circle(x: at(along, 0).x, y: at(along, 0).y, radius: 3, fill: "#ffffff", line: colour)
        }
        let clearance = Picture.Shape.line(points: [at(-12, 0), at(12, 0)], colour: "#ffffff", width: 4)
        switch kind {
        case .resistor, .fuse:
            let (width, height) = isUpright ? (10, 24) : (24, 10)
            let body = Picture.Shape.box(
                x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height, radius: 0,
                fill: "#ffffff", line: colour)
            let wire = Picture.Shape.line(points: [at(-12, 0), at(12, 0)], colour: colour, width: 2)
            return kind == .fuse ? [body, wire] : [body]
        case .diode, .led:
            let body: [Picture.Shape] = [
                .line(points: [at(-12, 0), at(12, 0)], colour: colour, width: 2),
                .area(points: [at(-7, -7), at(-7, 7), at(7, 0)], colour: colour),
                .line(points: [at(7, -7), at(7, 7)], colour: colour, width: 2),
            ]
            guard kind == .led else { return body }
            return body
                + [0, 7].flatMap { shift -> [Picture.Shape] in
                    let tip = at(shift + 2, -16)
                    return [
                        .line(points: [at(shift - 4, -9), tip], colour: colour, width: 1),
                        .area(points: [tip, at(shift - 2, -14), at(shift + 1, -11)], colour: colour),
                    ]
                }
        case .release, .closed, .button, .open:
            let isClosed = kind == .release || kind == .closed
            let blade: [Picture.Shape] =
                isClosed
                ? [
                    .line(points: [at(-12, 0), at(13, -4)], colour: colour, width: 2),
                    .line(points: [at(12, -6), at(12, 0)], colour: colour, width: 2),
                ] : [.line(points: [at(-12, 0), at(10, -9)], colour: colour, width: 2), end(12)]
            guard kind == .release || kind == .button else { return [clearance] + blade + [end(-12)] }
            // Draw the stem of a part that a person presses, down to the blade.
            let foot = isClosed ? -3 : -5
            let stem: [Picture.Shape] = [
                .line(points: [at(0, foot), at(0, foot - 8)], colour: colour, width: 2),
                .line(points: [at(-6, foot - 8), at(6, foot - 8)], colour: colour, width: 2),
            ]
            return [clearance] + blade + [end(-12)] + stem
        }
    }
}
