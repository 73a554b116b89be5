/// Draws a scene as lines of a terminal. The code is at the left, and the text to its right. The code fits into 80
/// columns and 24 rows.
struct TerminalPainter {
    /// The size of the terminal in characters.
    let columns, rows: Int

    /// Returns at most `rows` lines. They contain escape sequences for colours, but can be read without colours.
    func lines(_ scene: DisplayScene) -> [String] {
        let code = scene.state.isServing ? scene.code.flatMap { try? QRCode($0) } : nil
        let picture = code?.terminalLines() ?? []
        let span = code.map { $0.side + 2 * QRCode.quietZone } ?? 0
        guard span <= columns, picture.count <= rows else {
            // A part of a code cannot be scanned, so show a message in place of the code.
            let words = "This terminal is too small for the code: it needs \(span) columns and \(picture.count) rows."
            return ScenePainter.wrapped(words, to: max(columns, 1)).prefix(rows).map { cut($0, columns) }
        }
        let room = columns - span - 2
        guard room >= 16 || code == nil else {
            // There is no space for text to the right of the code. Put the text below the code, as far as rows
            // remain.
            return Array((picture + text(of: scene, width: columns, height: max(0, rows - picture.count))).prefix(rows))
        }
        let text = text(of: scene, width: room, height: min(rows, max(picture.count, 23)))
        let count = min(rows, max(picture.count, text.count))
        return (0..<count).map { row in
            let left = row < picture.count ? picture[row] : String(repeating: " ", count: span)
            return left + "  " + (row < text.count ? text[row] : "")
        }
    }

    /// Returns the text: at the top the state of the gate and the visits, at the bottom the latest lines of events.
    private func text(of scene: DisplayScene, width: Int, height: Int) -> [String] {
        var lines = ["", Self.bold(cut(scene.name, width))]
        switch scene.state {
        case .outOfService: lines.append(own(scene.language.text(.outOfService), width))
        case .outOfOrder(let remedy):
            lines +=
                ["", Self.bold(own(scene.language.text(.outOfOrder), width))]
                + ScenePainter.wrapped(remedy, to: width).map { cut($0, width) }
        case .lockedDown: lines += ["", Self.bold(own(scene.language.text(.closed), width))]
        case .inService, .freePassage:
            if scene.state == .freePassage {
                lines += ["", Self.bold(own(scene.language.text(.freePassage), width)), ""]
            }
            let words = scene.code == nil ? scene.language.text(.wait) : scene.instruction
            lines += ScenePainter.wrapped(words, to: width)
                .map { own($0, width) }
        }
        lines.append("")
        if let result = scene.result { lines += Self.lines(of: result, in: scene, width: width) }
        for guest in scene.guests where scene.result == nil {
            lines += Self.lines(of: guest, scene.language).map { own($0, width) }
        }
        let room = height - lines.count - 1
        guard room > 0 else { return Array(lines.prefix(height)) }
        let news = scene.news.suffix(room).map { cut($0.text, width) }
        return lines + Array(repeating: "", count: room + 1 - news.count) + news
    }

    private static func lines(of guest: DisplayScene.Guest, _ language: DisplayLanguage) -> [String] {
        switch guest.stage {
        case .choosing: ["\(guest.mark)  \(language.text(.choosing))"]
        case .receiving(let percent):
            [
                "\(guest.mark)  \(String(repeating: "█", count: percent / 10))"
                    + "\(String(repeating: "░", count: 10 - percent / 10)) \(percent) %"
            ]
        case .checking: ["\(guest.mark)  \(language.text(.checking))"]
        }
    }

    /// Returns the picture of a result in eight lines, and a line with the phrase and the visit's name. The line is
    /// below the picture or, if the scene's ``SignPlace`` says so, above it.
    private static func lines(of result: DisplayScene.Result, in scene: DisplayScene, width: Int) -> [String] {
        let colour =
            switch result.outcome {
            case .accepted: "\u{1B}[1;32m"
            case .rejected: "\u{1B}[1;31m"
            case .failed: "\u{1B}[1;33m"
            }
        let word = colour + "\(scene.language.text(result.outcome.phrase))  \(result.mark)\u{1B}[0m"
        var sign = Bitmap(width: min(16, width), height: 16)
        sign.draw(in: sign.area, result.outcome.icon)
        let picture = sign.halfBlocks.map { colour + $0 + "\u{1B}[0m" }
        return scene.sign.isLast(go: result.outcome == .accepted) ? [word, ""] + picture : picture + ["", word]
    }

    private static func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }

    /// Shortens a text to `width` columns. Replaces characters that may not be one column wide, because they would
    /// shift the following text.
    private func cut(_ text: String, _ width: Int) -> String {
        shortened(
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map {
                        (0x20..<0x7F).contains($0.value) || "●○…×·".unicodeScalars.contains($0) ? $0 : "?"
                    })), width)
    }

    /// Shortens one of the program's own phrases to `width` columns. All letters of these phrases are one column
    /// wide.
    private func own(_ text: String, _ width: Int) -> String {
        shortened(String(text.map { BitmapFont.has($0) || "█░".contains($0) ? $0 : "?" }), width)
    }

    private func shortened(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}
