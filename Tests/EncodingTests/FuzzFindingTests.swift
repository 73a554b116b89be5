import Encoding
import Testing

/// What fuzzing found (Tests/Fuzz), each in its smallest form.
@Suite struct FuzzFindingTests {
    /// To Swift, a letter and the combining mark after it are one character: the mark was dropped with the prefix.
    @Test(arguments: ["z\u{366}zxy", "z\u{301}", "z\u{200D}2", "u\u{301}AAAA"])
    func aMarkAfterTheMultibasePrefixIsNoLetter(text: String) {
        #expect(Multibase.decode(text) == nil)
    }
}
