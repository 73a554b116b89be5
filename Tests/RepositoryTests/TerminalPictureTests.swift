import Foundation
import TestKit
import Testing

/// The properties that README's picture of a terminal needs in any browser. `make test-page` checks how a
/// browser draws it.
@Suite struct TerminalPictureTests {
    private static let picture = Vectors.repository.appendingPathComponent("docs/pictures/demo.svg")

    /// The width of a cell in `docs/pictures/capture`.
    private static let cell = 8.4

    @Test("each text keeps its spaces itself, and asks for as much room as its characters have in the terminal")
    func texts() throws {
        var found = 0
        var gaps = 0
        for line in try String(contentsOf: Self.picture, encoding: .utf8).components(separatedBy: "\n")
        where line.hasPrefix("<text ") {
            let match = try #require(try /<text ([^>]*)>([^<]*)<\/text>/.wholeMatch(in: line), "\(line)")
            let attributes = " \(match.1) "
            #expect(attributes.contains(#" xml:space="preserve" "#), "\(line)")
            #expect(attributes.contains(#" lengthAdjust="spacingAndGlyphs" "#), "\(line)")
            let length = try #require(attributes.firstMatch(of: /textLength="([0-9.]+)"/), "\(line)")
            let width = try #require(Double(length.1))
            let characters = match.2.replacing(/&[#a-z0-9]+;/, with: "x")
            #expect(abs(width - Double(characters.count) * Self.cell) < 0.05, "\(line)")
            found += 1
            gaps += characters.contains("  ") ? 1 : 0
        }
        #expect(found >= 50 && gaps >= 10)
    }

    @Test("it has nothing that an image may not load or run") func loadsNothing() throws {
        let text = try String(contentsOf: Self.picture, encoding: .utf8)
        for word in ["<script", "<style", "<foreignObject", "<image", "<use", "href", "url(", "@import", "<!"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(!text.contains(#/<[^>]* on[a-z]+=/#))
    }
}
