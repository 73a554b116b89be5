import Foundation
import Testing

@testable import Displays
@testable import LinuxIO

@Suite("languages of displays")
struct LanguageTests {
    private var scene: DisplayScene {
        var scene = DisplayScene(name: "North-Gate")
        scene.code = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "5a", count: 32)
        return scene
    }

    private static let sizes = [
        (800, 480), (720, 405), (480, 320), (320, 240), (250, 122), (128, 128), (128, 64), (128, 32), (64, 128),
    ]

    /// Returns every scene that a visitor may see, in one language.
    private func scenes(_ language: DisplayLanguage) -> [DisplayScene] {
        var (idle, starting) = (scene, scene)
        (idle.language, idle.instruction) = (language, language.text(.scan))
        starting.language = language
        starting.code = nil
        let stages: [DisplayScene.Guest.Stage] = [.choosing, .receiving(percent: 40), .checking]
        let states: [DisplayScene.State] = [.outOfService, .outOfOrder(remedy: "Plug the adapter in.")]
        let outcomes: [DisplayScene.Result.Outcome] = [.accepted, .rejected, .failed]
        func with(_ change: (inout DisplayScene) -> Void) -> DisplayScene {
            var scene = idle
            change(&scene)
            return scene
        }
        return [idle, starting] + stages.map { stage in with { $0.guests = [.init(mark: "3f2a", stage: stage)] } }
            + states.map { state in with { $0.state = state } }
            + outcomes.map { outcome in with { $0.result = .init(mark: "3f2a", outcome: outcome) } }
    }

    @Test("every phrase has a drawing for each of its letters", arguments: DisplayLanguage.allCases)
    func drawable(_ language: DisplayLanguage) {
        for phrase in DisplayPhrase.allCases {
            #expect(TextLayout.canDraw(language.text(phrase)), "\(language) \(phrase)")
            #expect(TextLayout.isLatin(language.text(phrase)) == (language != .hindi))
            #expect((1...60).contains(language.text(.scan).utf8.count), "as an instruction of the configuration")
        }
        for text in ["Türe", "漢字", "नमस्ते", "\u{1F600}", "a\nb"] { #expect(!TextLayout.canDraw(text), "\(text)") }
    }

    @Test("accented letters differ from the plain ones, and keep within their place")
    func accents() {
        for (plain, accented) in [
            ("e", "éèêë"), ("a", "àâ"), ("c", "ç"), ("E", "ÉÈÊ"), ("o", "ô"), ("u", "ùû"), ("i", "îï"),
        ] {
            let letters = ([plain] + accented.map(String.init)).map { Array(BitmapFont.rows(of: Character($0))) }
            #expect(Set(letters).count == letters.count, "\(accented)")
            #expect(letters.allSatisfy { $0.allSatisfy { $0 < 32 } })
            // There is room for two rows of an accent above a capital.
            let room = accented == "ÉÈÊ" ? 2 : 0
            #expect(letters.dropFirst().allSatisfy { $0.count == BitmapFont.height + room }, "\(accented)")
        }
    }

    /// Without room above it, a capital with an accent would have to be squeezed to the same height as one
    /// without. It would then look like a small letter: "ACCEPTé".
    @Test("a letter with an accent is higher than without, in every phrase", arguments: DisplayLanguage.allCases)
    func capitals(_ language: DisplayLanguage) throws {
        func span(_ letter: Character) throws -> Int {
            let rows = Array(BitmapFont.rows(of: letter))
            let (first, last) = (rows.firstIndex { $0 != 0 }, rows.lastIndex { $0 != 0 })
            return try #require(last) - #require(first)
        }
        for phrase in DisplayPhrase.allCases where TextLayout.isLatin(language.text(phrase)) {
            for letter in language.text(phrase) where !letter.isASCII {
                let plain = try #require(
                    String(letter).decomposedStringWithCanonicalMapping.first?.unicodeScalars.first)
                #expect(try span(letter) > span(Character(plain)), "\(language) \(phrase): \(letter)")
            }
        }
    }

    @Test("the word for go and that for stop differ by more than a letter", arguments: DisplayLanguage.allCases)
    func apart(_ language: DisplayLanguage) {
        let (go, stop) = (Array(language.text(.accepted)), Array(language.text(.rejected)))
        #expect(zip(go, stop).count { $0 != $1 } + abs(go.count - stop.count) >= 3)
    }

    @Test("whole words are drawn and no dot of them is lost")
    func words() throws {
        for word in DisplayPhrase.allCases.flatMap({ DisplayLanguage.hindi.text($0).split(separator: " ") }) {
            let picture = try #require(DevanagariWords.picture(of: word), "\(word)")
            #expect(picture.pixels.count == picture.width * DevanagariWords.height)
            #expect(picture.pixels.count { $0 } > 30, "\(word)")
            var sheet = Bitmap(width: picture.width, height: DevanagariWords.height)
            sheet.draw(picture, x: 0, y: 0, scale: 1)
            #expect(sheet.pixels.count { $0 == Bitmap.Ink.dark.rawValue } == picture.pixels.count { $0 })
        }
    }

    @Test(
        "what is seen differs without colours, in every language and on every panel",
        arguments: DisplayLanguage.allCases)
    func scenesDiffer(_ language: DisplayLanguage) {
        for (width, height) in Self.sizes {
            var painter = ScenePainter(width: width, height: height)
            let pictures = scenes(language).map { painter.paint($0).lightBits }
            let verdicts = pictures.suffix(3)
            #expect(Set(verdicts).count == 3, "\(width) × \(height)")
            #expect(!verdicts.contains { pictures.dropLast(3).contains($0) }, "\(width) × \(height)")
            // Displays that are large enough show a different picture for every scene.
            if width >= 240 { #expect(Set(pictures).count == pictures.count, "\(width) × \(height)") }
        }
    }

    @Test("a panel without room for a script speaks English, and is never left blank")
    func room() {
        for (width, height) in Self.sizes {
            var painter = ScenePainter(width: width, height: height)
            for (hindi, english) in zip(scenes(.hindi), scenes(.english)) {
                let picture = painter.paint(hindi)
                let dark = picture.pixels.count { $0 == Bitmap.Ink.dark.rawValue }
                #expect(dark > 20, "\(width) × \(height)")
                // On a screen the text is Hindi, except for the percentage of a transfer, which is a number
                // in any language.
                let isNumber = hindi.guests.contains { $0.stage == .receiving(percent: 40) }
                if width >= 480, !isNumber { #expect(picture != painter.paint(english), "\(width) × \(height)") }
            }
        }
    }

    @Test("a terminal says it in French, each letter in its column, and the share of a transfer as a bar")
    func terminal() {
        for told in scenes(.french) {
            let lines = TerminalPainter(columns: 80, rows: 24).lines(told)
            #expect(lines.count <= 24 && !lines.joined().contains("?"), "\(lines)")
        }
        let text = scenes(.french).map { TerminalPainter(columns: 80, rows: 24).lines($0).joined(separator: "\n") }
        for word in ["ACCEPTÉ", "REFUSÉ", "Réessayez", "EN PANNE", "vérification", "████░░░░░░ 40 %"] {
            #expect(text.contains { $0.contains(word) }, "\(word)")
        }
    }
}
