/// Recognises an invitation that is written in an answer of `gatehouse setup`, or in a configuration in place of the
/// path of a file.
package enum WrittenInvitation {
    /// Returns whether the text is an invitation itself: a URL or JSON. Otherwise it is the path of a file.
    package static func isText(_ text: String) -> Bool {
        text.contains("://") || text.first { !$0.isWhitespace } == "{"
    }

    /// Returns whether the text is the URL of an invitation without its scheme. Such a text must not count as the
    /// path of a file, because it contains the invitation.
    package static func lacksScheme(_ text: String) -> Bool {
        !isText(text) && ["oob=", "c_i=", "d_m=", "?m=", "&m="].contains(where: text.contains)
    }

    /// Returns whether the text is an invitation, with or without the scheme of its URL. Such a text must not count
    /// as the path of a file, nor be repeated in messages.
    static func holdsInvitation(_ text: String) -> Bool { isText(text) || lacksScheme(text) }
}
