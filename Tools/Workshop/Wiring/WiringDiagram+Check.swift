extension WiringDiagram {
    /// The description of the first mistake in the diagram; nil if the diagram is correct. In a correct diagram, every
    /// terminal is connected, no box overlaps another, and every part touches its wires.
    var mistake: String? { boxMistake ?? partMistake ?? terminalMistake ?? pinMistake }

    /// Returns whether a wire in row `row` crosses the gap to the right of column `gap`.
    private func isWired(_ row: Int, in gap: Int) -> Bool {
        wires.contains { $0.row == row && $0.columns.lowerBound <= gap && gap < $0.columns.upperBound }
    }

    /// Returns whether a box has a terminal in row `row` at the gap to the right of column `gap`.
    private func hasTerminal(_ row: Int, at gap: Int) -> Bool {
        boxes.contains { box in
            box.column == gap && box.right(at: row) != nil || box.column == gap + 1 && box.left(at: row) != nil
        }
    }

    private var boxMistake: String? {
        for (index, box) in boxes.enumerated() {
            for other in boxes[..<index] where other.column == box.column && other.rows.overlaps(box.rows) {
                return "\(box.title) overlaps \(other.title)"
            }
        }
        let columns = Set(boxes.map(\.column))
        return columns.count == (columns.max() ?? 0) + 1 ? nil : "a column is empty"
    }

    private var partMistake: String? {
        for (index, part) in parts.enumerated() {
            guard part.gap < (boxes.map(\.column).max() ?? 0) else { return "a part is beyond the last column" }
            let touches = part.isUpright ? [part.rows.lowerBound, part.rows.upperBound] : [part.rows.lowerBound]
            for row in touches where !isWired(row, in: part.gap) {
                guard part.isUpright, hasTerminal(row, at: part.gap) else {
                    return "\(part.kind) \(part.label) touches nothing in row \(row)"
                }
            }
            for row in part.rows.dropFirst().dropLast() where isWired(row, in: part.gap) {
                return "\(part.kind) \(part.label) crosses the wire of row \(row)"
            }
            for other in parts[..<index]
            where other.gap == part.gap && other.lane == part.lane && other.rows.overlaps(part.rows) {
                return "\(part.kind) \(part.label) overlaps \(other.kind) \(other.label)"
            }
        }
        return nil
    }

    /// The description of a terminal that is connected neither to a wire nor to an upright part in its gap; nil if
    /// there is none.
    private var terminalMistake: String? {
        for box in boxes {
            for row in box.rows {
                let sides = [(box.right(at: row), box.column), (box.left(at: row), box.column - 1)]
                for case (let terminal?, let gap) in sides where !isWired(row, in: gap) {
                    let isJoined = parts.contains { part in
                        part.gap == gap && part.isUpright
                            && (part.rows.lowerBound == row || part.rows.upperBound == row)
                    }
                    if !isJoined { return "\(terminal) of \(box.title) leads nowhere" }
                }
            }
        }
        return nil
    }

    private var pinMistake: String? {
        Set(pins.values).count == pins.count ? nil : "a pin of the board occurs twice"
    }
}
