/// The positions of the boxes, wires and parts of a diagram, in pixels from the upper left corner.
struct DiagramLayout {
    static let margin = 24
    static let rowHeight = 34
    static let labelSize = 13
    static let titleSize = 14
    /// The radius of the circle of a header pin at the board's edge.
    static let pinRadius = 11
    /// The distance between the symbol of a part and the next symbol or box.
    private static let space = 14

    private let diagram: WiringDiagram
    /// The vertical position of the upper edge of row 1.
    private let top: Int
    /// The left edge and the width of each column (`columns`), and of the gap to the right of each column (`gaps`).
    private var columns: [(x: Int, width: Int)] = []
    private var gaps: [(x: Int, width: Int, lanes: [(x: Int, width: Int)])] = []

    /// Computes the positions of the whole diagram, with its upper left corner at `left` and `top`.
    init(_ diagram: WiringDiagram, left: Int, top: Int) {
        self.diagram = diagram
        self.top = top
        var x = left
        let last = diagram.boxes.map(\.column).max() ?? 0
        for column in 0...last {
            let width = Self.width(of: column, diagram)
            columns.append((x, width))
            x += width
            guard column < last else { break }
            let start = x
            x += 2 * Self.space
            var lanes: [(x: Int, width: Int)] = []
            let parts = diagram.parts.filter { $0.gap == column }
            for lane in 0..<(parts.map(\.lane).max() ?? 0) {
                let width = parts.filter { $0.lane == lane + 1 }.map(Self.partWidth).max() ?? 0
                lanes.append((x, width))
                x += width + Self.space
            }
            x += 2 * Self.space
            gaps.append((start, x - start, lanes))
        }
    }

    /// The position of the diagram's right edge.
    var right: Int { (columns.last?.x ?? 0) + (columns.last?.width ?? 0) }
    /// The position of the diagram's lower edge.
    var bottom: Int { top + (diagram.boxes.map(\.rows.upperBound).max() ?? 0) * Self.rowHeight }

    /// Returns the vertical position of the terminals in a row.
    func y(_ row: Int) -> Int { top + (row - 1) * Self.rowHeight + Self.rowHeight / 2 }

    func frame(_ box: WiringDiagram.Box) -> (x: Int, y: Int, width: Int, height: Int) {
        let column = columns[box.column]
        // Make the box a little smaller than its rows, so that two boxes in a column do not touch.
        return (column.x, y(box.row) - Self.rowHeight / 2 + 4, column.width, box.rows.count * Self.rowHeight - 8)
    }

    /// Return the left and the right edge of a column.
    func left(_ column: Int) -> Int { columns[column].x }
    func right(_ column: Int) -> Int { columns[column].x + columns[column].width }

    /// Returns the position of the middle of a part's symbol.
    func centre(_ part: WiringDiagram.Part) -> (x: Int, y: Int) {
        let lane = gaps[part.gap].lanes[part.lane - 1]
        guard part.isUpright else { return (lane.x + lane.width / 2, y(part.rows.lowerBound)) }
        // Place the symbol between two rows, so that its label does not touch a wire.
        let upper = (part.rows.lowerBound + part.rows.upperBound - 1) / 2
        return (lane.x + Symbol.halfWidth, (y(upper) + y(upper + 1)) / 2)
    }

    private static func width(of column: Int, _ diagram: WiringDiagram) -> Int {
        let boxes = diagram.boxes.filter { $0.column == column }
        let pins = column == 0 ? pinRadius : 0
        return boxes.map { box in
            func widest(_ names: [String]) -> Int {
                names.map { Label.width($0, size: labelSize, isBold: false) }.max() ?? 0
            }
            let between = box.left.isEmpty || box.right.isEmpty ? 0 : 24
            return max(
                Label.width(box.title, size: titleSize, isBold: true) + 24,
                widest(box.left) + widest(box.right) + between + 24 + pins)
        }.max() ?? 0
    }

    private static func partWidth(_ part: WiringDiagram.Part) -> Int {
        let label = Label.width(part.label, size: labelSize - 1, isBold: false)
        return part.isUpright ? 2 * Symbol.halfWidth + 4 + label : max(2 * Symbol.halfLength, label)
    }
}
