import Foundation
import Glibc
import Testing

@testable import Displays
@testable import LinuxIO

/// The requirements of WCAG 2.2 for text and signs, checked on the pictures of displays.
@Suite("displays for people who see little")
struct AccessTests {
    /// Relative luminance (WCAG 2.2, "relative luminance").
    private func luminance(_ rgb: [UInt8]) -> Double {
        let parts = rgb.map { byte -> Double in
            let share = Double(byte) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private func contrast(_ a: Bitmap.Ink, _ b: Bitmap.Ink) -> Double {
        let lights = [a, b].map { luminance(PNG.palette[$0] ?? [0, 0, 0]) }.sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    @Test("text has the contrast of level AAA, signs that of text of level AA")
    func contrasts() {
        #expect(contrast(.dark, .light) >= 7)  // 1.4.6
        for sign in [Bitmap.Ink.go, .stop] { #expect(contrast(sign, .light) >= 4.5) }  // 1.4.3; 1.4.11 asks for 3
        #expect(abs(contrast(.light, .dark) - 21) < 0.01, "the formula itself")
    }

    /// Returns the first and the last of these columns in a row that has that ink. It uses the C library,
    /// because a screen has two million pixels.
    private func span(_ ink: Bitmap.Ink, of picture: Bitmap, row y: Int, in columns: Range<Int>) -> ClosedRange<Int>? {
        picture.pixels.withUnsafeBytes { pixels -> ClosedRange<Int>? in
            let start = y * picture.width
            guard let row = pixels.baseAddress.map({ $0 + start + columns.lowerBound }),
                let found = memchr(row, Int32(ink.rawValue), columns.count)
            else { return nil }
            let first = columns.lowerBound + (UnsafeRawPointer(found) - row)
            var last = columns.upperBound - 1
            while pixels[start + last] != ink.rawValue { last -= 1 }
            return first...last
        }
    }

    /// Returns the heights of the runs of rows that contain dark ink.
    private func lines(of picture: Bitmap, in columns: Range<Int>) -> [Int] {
        let inked = (0..<picture.height).map { span(.dark, of: picture, row: $0, in: columns) != nil }
        return inked.split(separator: false).map(\.count)
    }

    @Test(
        "letters on a screen are large text: from 1/25 of its height, wherever signs stand",
        arguments: DisplayLanguage.allCases, SignPlace.allCases)
    func size(_ language: DisplayLanguage, _ place: SignPlace) {
        for (width, height) in [(800, 480), (1280, 720), (1920, 1080)] {
            var painter = ScenePainter(width: width, height: height)
            var scene = DisplayScene(name: "North-Gate")
            (scene.language, scene.instruction, scene.sign) = (language, language.text(.scan), place)
            scene.code = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "5a", count: 32)
            let panel = min(width, height)..<width
            for told in [nil, .accepted, .rejected, .failed] as [DisplayScene.Result.Outcome?] {
                scene.result = told.map { .init(mark: "3f2a", outcome: $0) }
                // The dark strokes of a sign are larger than letters.
                let heights = lines(of: painter.paint(scene), in: panel)
                #expect(!heights.isEmpty && (heights.min() ?? 0) * 25 >= height, "\(width) × \(height): \(heights)")
            }
        }
    }

    /// Returns the smallest area with the ink of a sign, and the smallest area with the ink of the words.
    private func areas(_ picture: Bitmap) -> (sign: Bitmap.Area, words: Bitmap.Area) {
        func bounds(_ inks: [Bitmap.Ink]) -> Bitmap.Area {
            var (columns, rows): ([Int], [Int]) = ([], [])
            for y in 0..<picture.height {
                for ink in inks {
                    guard let span = span(ink, of: picture, row: y, in: 0..<picture.width) else { continue }
                    columns += [span.lowerBound, span.upperBound]
                    rows.append(y)
                }
            }
            let (left, top) = (columns.min() ?? 0, rows.min() ?? 0)
            return Bitmap.Area(
                x: left, y: top, width: (columns.max() ?? 0) - left + 1, height: (rows.max() ?? 0) - top + 1)
        }
        return (bounds([.go, .stop]), bounds([.dark]))
    }

    @Test("a sign is at its place, of one size everywhere, and apart from the words", arguments: SignPlace.allCases)
    func place(_ place: SignPlace) {
        // Wide and tall displays and panels. On the narrow ones, signs are above or below the words.
        for (width, height, isWide) in [(800, 480, true), (296, 128, true), (480, 800, false), (128, 296, false)] {
            for outcome in [.accepted, .rejected] as [DisplayScene.Result.Outcome] {
                var painter = ScenePainter(width: width, height: height)
                var scene = DisplayScene(name: "North-Gate")
                scene.result = .init(mark: "3f2a", outcome: outcome)
                let usual = areas(painter.paint(scene))
                scene.sign = place
                let (sign, words) = areas(painter.paint(scene))
                let isLast = place == .last || place == .apart && outcome == .rejected
                let (low, high) = isLast ? (words, sign) : (sign, words)
                let isClear = isWide ? low.x + low.width <= high.x : low.y + low.height <= high.y
                #expect(isClear, "\(width) × \(height) \(outcome): \(sign) \(words)")
                #expect((sign.width, sign.height) == (usual.sign.width, usual.sign.height))
                #expect(sign.x + sign.width <= width && sign.y + sign.height <= height)
            }
        }
    }

    @Test("set apart, the places alone show the verdict, also on a terminal and next to the code")
    func apart() {
        var scene = DisplayScene(name: "North-Gate")
        (scene.sign, scene.code) = (
            .apart, "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "5a", count: 32)
        )
        var ups: [Bool] = []
        for (outcome, word) in [(.accepted, "ACCEPTED"), (.rejected, "REJECTED")]
            as [(DisplayScene.Result.Outcome, String)]
        {
            scene.result = .init(mark: "3f2a", outcome: outcome)
            let lines = TerminalPainter(columns: 80, rows: 24).lines(scene).map { line in
                line.components(separatedBy: "\u{1B}[0m").dropFirst().joined()  // after the code
            }
            let said = lines.firstIndex { $0.contains(word) } ?? 0
            let drawn = lines.firstIndex { $0.contains("▄") || $0.contains("█") || $0.contains("▀") } ?? 0
            #expect(said > 0 && drawn > 0, "\(lines)")
            ups.append(drawn < said)
        }
        #expect(ups == [true, false])
    }
}
