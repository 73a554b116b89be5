import Aries
import DIDComm
import Encoding

/// Checks the invitation in an answer of a setup, or in the file that the answer names.
enum SetupInvitation {
    /// Returns the problem of an invitation, as far as it can be found without a network; nil if no problem was found.
    /// The text of the problem contains no part of the invitation.
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
                "Ask its operator for https; if it is not available, set allow-plain-http.")
        } catch {
            return SetupProblem(.invitation, "is not a usable invitation", error.remedy)
        }
    }
}
