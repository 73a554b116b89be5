/// The picture of the 40-pin header, seen from above. The pins in use have the colours of their wires.
enum HeaderPicture {
    static let width = 112
    private static let pitch = 17

    /// Returns the shapes of the header with its upper left corner at (`x`, `y`), and the vertical position of its
    /// lower edge. `used` contains the colour of each pin in use, by pin.
    static func shapes(x: Int, y: Int, used: [Int: String]) -> (shapes: [Picture.Shape], bottom: Int) {
        let height = 20 * pitch + 14
        var shapes: [Picture.Shape] = [
            .box(x: x + 32, y: y, width: 48, height: height, radius: 6, fill: "#f3f4f6", line: "#9ca3af")
        ]
        for pin in 1...40 {
            let isLeft = pin % 2 == 1
            let centre = (x: x + (isLeft ? 46 : 66), y: y + 7 + pitch / 2 + (pin - 1) / 2 * pitch)
            let colour = used[pin]
            let fill = colour ?? "#ffffff"
            // Draw pin 1 as a square, like its pad on the board.
            shapes.append(
                pin == 1
                    ? .box(
                        x: centre.x - 5, y: centre.y - 5, width: 10, height: 10, radius: 0, fill: fill, line: "#9ca3af")
                    : .circle(x: centre.x, y: centre.y, radius: 6, fill: fill, line: "#9ca3af"))
            guard let colour else { continue }
            shapes.append(
                .label(
                    Label(
                        text: String(pin), x: isLeft ? x + 26 : x + 86, y: centre.y, size: 12, isBold: true,
                        anchor: isLeft ? .end : .start, colour: colour)))
        }
        return (shapes, y + height)
    }
}
