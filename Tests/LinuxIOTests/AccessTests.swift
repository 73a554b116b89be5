import Foundation
import Testing

@testable import LinuxIO

/// What WCAG 2.2 asks of text and signs, of what displays show.
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

    /// Heights of the runs of rows that have dark ink.
    private func lines(of picture: Bitmap, in columns: Range<Int>) -> [Int] {
        let inked = (0..<picture.height).map { y in columns.contains { picture.ink(x: $0, y: y) == .dark } }
        return inked.split(separator: false).map(\.count)
    }

    @Test("letters on a screen are large text: from 1/25 of its height", arguments: DisplayLanguage.allCases)
    func size(_ language: DisplayLanguage) {
        for (width, height) in [(800, 480), (1280, 720), (1920, 1080)] {
            var painter = ScenePainter(width: width, height: height)
            var scene = DisplayScene(name: "North-Gate")
            (scene.language, scene.instruction) = (language, language.text(.scan))
            scene.code = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "5a", count: 32)
            let panel = min(width, height)..<width
            for told in [nil, .accepted, .rejected, .failed] as [DisplayScene.Result.Outcome?] {
                scene.result = told.map { .init(mark: "3f2a", outcome: $0) }
                // A sign's own dark strokes are larger still.
                let heights = lines(of: painter.paint(scene), in: panel)
                #expect(!heights.isEmpty && (heights.min() ?? 0) * 25 >= height, "\(width) × \(height): \(heights)")
            }
        }
    }
}
