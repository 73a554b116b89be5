package import Encoding
package import Settings

/// The plan of a setup: the configuration to write, the trust data, the invitation, the time server. It is a
/// pure value: it reads no file.
package struct SetupPlan: Hashable, Sendable {
    /// The source of the gate's trust data. Paths are as they were given.
    package enum Trust: Hashable, Sendable {
        /// The present trust data. Without any, the gate trusts no issuer.
        case unchanged
        /// Trust data from the signed bundle at the given path.
        case bundle(String)
        /// Trust data from the trust directory at the given path.
        case directory(String)
        /// Trust data with one further issuer: its id, the `types` of its credentials that are admitted, the
        /// paths of its `document` and its `root` certificate, and its contexts.
        case issuer(Text, types: [Text], document: String?, root: String?, contexts: [Context])
    }

    /// A JSON-LD context of an issuer's credentials: a document, or a built-in context if no document is
    /// given.
    package struct Context: Hashable, Sendable {
        /// The URL of the context.
        package let url: Text
        /// The path of the context's document; nil for a built-in context.
        package let file: String?

        /// Reads `URL`, or `URL=FILE`.
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
    /// The cloud agent's invitation: a URL, its JSON, or a file; nil if setup gets no invitation.
    package let invitation: String?
    /// The name of the time server that chrony is to use with Network Time Security; nil if setup names no
    /// time server.
    package let timeServer: String?
    /// Whether the invitation may lead to an agent without TLS.
    let allowsPlainHTTP: Bool

    /// Makes the plan of a setup. Throws all problems of the answers, including missing answers.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - machine: The facts of the machine. They are used in place of missing answers.
    ///   - places: The places of the gate.
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

    /// Returns the problem of the answer to `question`, considered together with the other answers; nil if it
    /// has no problem.
    package static func problem(
        with question: SetupQuestion, in answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces
    ) -> SetupProblem? {
        SetupDraft(answers, machine, places).problems.first { $0.question == question }
    }
}
