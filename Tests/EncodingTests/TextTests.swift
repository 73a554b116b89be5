import Testing

@testable import Encoding

@Suite struct TextTests {
    @Test func composedAndDecomposedAreTwoTexts() {
        #expect(Text("\u{E9}") != Text("e\u{301}"))
        #expect(Set([Text("\u{E9}"), Text("e\u{301}")]).count == 2)
    }
}
