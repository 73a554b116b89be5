import Aries
import DIDComm
import Encoding

/// Recognises and checks an invitation in an answer of a setup, or in a configuration in the place of a file.
enum SetupInvitation {
    /// Returns whether the answer is the invitation itself; otherwise it is the path of a file.
    static func isText(_ answer: String) -> Bool {
        answer.contains("://") || answer.first { !$0.isWhitespace } == "{"
    }

    /// Returns whether the text is a URL without its scheme. Such a text must not be taken for the path of a
    /// file, because it holds the invitation.
    static func lacksScheme(_ answer: String) -> Bool {
        !isText(answer) && ["oob=", "c_i=", "d_m=", "?m=", "&m="].contains(where: answer.contains)
    }

    /// Returns whether the text is or holds an invitation. Such a text must not be taken for the path of a
    /// file, nor be repeated.
    static func holdsInvitation(_ text: String) -> Bool { isText(text) || lacksScheme(text) }

    /// Returns the problem of an invitation, as far as it can be found without a network; the text repeats no
    /// part of the invitation.
    static func problem(with text: [UInt8], allowsPlainHTTP: Bool) -> SetupProblem? {
        do throws(InvitationError) {
            let endpoint: Text
            switch try InvitationText.read(text) {
            case .invitation(let invitation): endpoint = try invitation.service().endpoint
            case .link(let url): endpoint = url
            }
            guard !allowsPlainHTTP, endpoint.string.lowercased().hasPrefix("http://") else { return nil }
            return SetupProblem(
                .invitation, "leads to an agent without TLS",
                "Ask its operator for https; where that cannot be had, allow-plain-http lets it be used.")
        } catch {
            return SetupProblem(.invitation, "is no invitation that can be used", error.remedy)
        }
    }
}
