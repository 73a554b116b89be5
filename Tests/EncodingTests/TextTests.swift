import Testing

@testable import Encoding

@Suite struct TextTests {
    @Test func composedAndDecomposedAreTwoTexts() {
        #expect(Text("\u{E9}") != Text("e\u{301}"))
        #expect(Set([Text("\u{E9}"), Text("e\u{301}")]).count == 2)
    }

    @Test func cutsAreAtBytesAndBetweenCodePoints() {
        let text = Text("a\u{E9}\u{1F511}/\u{301}")
        let cuts = (0...text.utf8.count).map { text.prefix(bytes: $0).utf8.count }
        #expect(cuts == [0, 1, 1, 3, 3, 3, 3, 7, 8, 8, 10])
        #expect(text.prefix(bytes: 3) == "a\u{E9}" && text.prefix(bytes: 99) == text)
        #expect(text.behind("a\u{E9}\u{1F511}/").map { Text(String($0)) } == "\u{301}")
        #expect(text.behind(text)?.isEmpty == true && text.behind("ae") == nil)
    }
}
