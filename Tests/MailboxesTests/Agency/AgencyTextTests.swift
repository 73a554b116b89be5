import Encoding
import Mailboxes
import Testing

/// The texts of an agency are cut at bytes or between letters.
@Suite struct AgencyTextTests {
    /// A combining letter forms one character with the slash before it, and is not part of a prefix.
    @Test func aPrefixIsCutAtBytes() {
        #expect(AgencyType(Text("\(AgencyType.prefix)\u{301}pairwise/1.0/X"))?.family == "\u{301}pairwise")
    }

    /// A code that is cut is still a valid text.
    @Test func aCodeIsCutBetweenLetters() {
        let code = Text(String(repeating: "a", count: 127) + "\u{e9}")
        #expect(AgencyProblem(code: code).code == Text(String(repeating: "a", count: 127)))
    }
}
