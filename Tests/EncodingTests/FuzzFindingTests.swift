import Encoding
import Testing

/// Bugs found by fuzzing (Tests/Fuzz), each with its smallest input.
@Suite struct FuzzFindingTests {
    /// In Swift, a letter and a following combining mark are one character. The decoder used to drop the mark
    /// together with the prefix.
    @Test(arguments: ["z\u{366}zxy", "z\u{301}", "z\u{200D}2", "u\u{301}AAAA"])
    func aMarkAfterTheMultibasePrefixIsNoLetter(text: String) {
        #expect(Multibase.decode(text) == nil)
    }
}
