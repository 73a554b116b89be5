import Aries
import DIDComm
import Encoding

/// An invitation that a setup is told, or a configuration in the place of a file.
enum SetupInvitation {
    /// Whether it stands in the answer itself; else that is the path of a file.
    static func isText(_ answer: String) -> Bool {
        answer.contains("://") || answer.first { !$0.isWhitespace } == "{"
    }

    /// Whether it is a URL whose beginning was forgotten, which must not be taken for the path of a file: it holds the invitation.
    static func lacksScheme(_ answer: String) -> Bool {
        !isText(answer) && ["oob=", "c_i=", "d_m=", "?m=", "&m="].contains(where: answer.contains)
    }

    /// Whether it is, or holds, an invitation, which must not be taken for the path of a file, nor be repeated.
    static func holdsInvitation(_ text: String) -> Bool { isText(text) || lacksScheme(text) }

    /// What is wrong with it, as far as that can be told without a network; nothing of it is repeated.
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
