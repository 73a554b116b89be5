import Console
import Encoding
import Testing

/// External text that is printed to a terminal, and that no caller has sanitised.
@Suite struct TerminalTests {
    /// Terminal control sequences in seven and eight bits, and marks that change the direction of text.
    private static let hostile = "a\u{1B}]0;x\u{7}b\u{1B}[2Jc\u{9B}2Jd\u{202E}e\u{2066}f\u{7F}g\rh"
    private static let harmless = "a?]0;x?b?[2Jc?2Jd?e?f?g?h"

    @Test func nothingOfOthersSteersATerminal() {
        #expect(Terminal.safe(Self.hostile, keepsStyles: true) == Self.harmless)
        #expect(Terminal.safe(Self.hostile, keepsStyles: false) == Self.harmless)
        #expect(Terminal.printable(Self.hostile + "\n") == Self.harmless + "?")
    }

    @Test func linesAndOwnStylesStay() {
        let styled = "\u{1B}[1;32mall is in order\u{1B}[0m\tä\r\n"
        #expect(Terminal.safe(styled, keepsStyles: true) == styled)
        #expect(Terminal.safe(styled, keepsStyles: false) == "?[1;32mall is in order?[0m\tä\r\n")
        // The program uses no style that conceals text.
        #expect(Terminal.safe("\u{1B}[8mx\u{1B}[1;8m", keepsStyles: true) == "?[8mx?[1;8m")
    }

    /// External text makes no second line where one is meant, and no line that looks like the program's own.
    @Test func aLineStaysOne() {
        #expect(Terminal.safe("a\nb\r\nc\td", keepsStyles: true, isLine: true) == "a?b??c\td")
        let error = Terminal.text(of: "no \ngatehouse: it is good", remedy: "mend\n\u{2028}what to do: nothing\r\n")
        let lines = [
            "gatehouse: no ", "    gatehouse: it is good", "  what to do: mend", "    what to do: nothing", "",
        ]
        #expect(error == lines.joined(separator: "\n"))
    }

    @Test func jsonKeepsItsValue() throws {
        let value: JSON = ["name": .text(Self.hostile + "\n\u{E0001}")]
        let text = Terminal.safe(json: value.compactText)
        #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(text)")
        #expect(text.contains("\\u009b2Jd\\u202ee\\u2066f\\u007fg") && text.hasSuffix("\\udb40\\udc01\"}"), "\(text)")
        #expect(try JSON.parse(Array(text.utf8)) == value)
    }

    /// An error that quotes a database is printed at the end of a process.
    @Test func anErrorIsHarmless() async throws {
        let folder = try Scratch()
        let ending = try await folder.gatehouse("verify", "no\u{1B}[2J\u{9B}such\u{202E}file")
        #expect(ending.code != 0 && ending.errors.contains("no?[2J?such?file"), "\(ending)")
    }
}
