package import Encoding
package import Settings

/// The plan of a setup: the configuration to write, the trust data, the invitation and the time server. The plan is a
/// pure value: making it reads no file.
package struct SetupPlan: Hashable, Sendable {
    /// The source of the gate's trust data. Paths are those in the answers.
    package enum Trust: Hashable, Sendable {
        /// The present trust data are kept. If there are none, the gate trusts no issuer.
        case unchanged
        /// Trust data from the signed bundle at the given path.
        case bundle(String)
        /// Trust data from the trust directory at the given path.
        case directory(String)
        /// The present trust data with one more issuer: its id, the admitted `types` of its credentials, the paths of
        /// its DID `document` and of its `root` certificate (nil if not given), and its contexts.
        case issuer(Text, types: [Text], document: String?, root: String?, contexts: [Context])
    }

    /// A JSON-LD context of an issuer's credentials.
    package struct Context: Hashable, Sendable {
        /// The URL of the context.
        package let url: Text
        /// The path of the context's document; nil for a context that is built in.
        package let file: String?

        /// Parses a context in an answer: `URL`, or `URL=FILE`.
        init(_ text: String) {
            let equals = text.lastIndex(of: "=")
            url = Text(String(text[..<(equals ?? text.endIndex)]))
            file = equals.map { String(text[text.index(after: $0)...]) }
        }
    }

    /// The content of the configuration file.
    package let configuration: [UInt8]
    /// The source of the trust data.
    package let trust: Trust
    /// The cloud agent's invitation: a URL, its JSON, or the path of a file; nil if the answers contain no invitation.
    package let invitation: String?
    /// The name of the time server that chrony is to use with Network Time Security; nil if the answers name none.
    package let timeServer: String?
    /// Whether the invitation may lead to an agent without TLS.
    let allowsPlainHTTP: Bool

    /// Makes the plan of a setup. Throws all problems of the answers, including missing answers.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - machine: The facts of the machine. They are used in place of missing answers.
    /// - places: The paths and names of the gate.
    ///   - source: The origin of the configuration, as lines for its comments.
    package init(
        _ answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces, source: [String] = []
    ) throws(SetupProblems) {
        let draft = SetupDraft(answers, machine, places, source)
        guard draft.problems.isEmpty else { throw SetupProblems(draft.problems) }
        configuration = draft.configuration
        trust = draft.trust
        invitation = answers.text(.invitation)
        timeServer = answers.text(.timeServer)
        allowsPlainHTTP = answers.text(.allowPlainHTTP) != nil
    }

    /// Returns the problem of the answer to `question`, considered together with the other answers; nil if the answer
    /// has no problem.
    package static func problem(
        with question: SetupQuestion, in answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces
    ) -> SetupProblem? {
        SetupDraft(answers, machine, places).problems.first { $0.question == question }
    }
}
