/// Recognises an invitation in an answer of a setup, or in a configuration in the place of a file.
package enum WrittenInvitation {
    /// Returns whether the text is the invitation itself; otherwise it is the path of a file.
    package static func isText(_ text: String) -> Bool {
        text.contains("://") || text.first { !$0.isWhitespace } == "{"
    }

    /// Returns whether the text is a URL without its scheme. Such a text must not be taken for the path of a
    /// file, because it holds the invitation.
    package static func lacksScheme(_ text: String) -> Bool {
        !isText(text) && ["oob=", "c_i=", "d_m=", "?m=", "&m="].contains(where: text.contains)
    }

    /// Returns whether the text is or holds an invitation. Such a text must not be taken for the path of a
    /// file, nor be repeated.
    static func holdsInvitation(_ text: String) -> Bool { isText(text) || lacksScheme(text) }
}
