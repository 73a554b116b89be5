package import Encoding

/// What a setup will do: the configuration to write, whom to trust, the invitation, the time server. A value that computes: it reads no file.
package struct SetupPlan: Hashable, Sendable {
    /// Whom the gate is to trust. Paths are as they were given.
    package enum Trust: Hashable, Sendable {
        /// As the trust data are; nobody where there are none.
        case unchanged
        /// Whom a signed bundle names.
        case bundle(String)
        /// Whom a trust directory names.
        case directory(String)
        /// One issuer more, with the types by which it admits, document, root and contexts.
        case issuer(Text, types: [Text], document: String?, root: String?, contexts: [Context])
    }

    /// A context that an issuer's credentials use: a document, or without one that which is built in.
    package struct Context: Hashable, Sendable {
        /// Its URL.
        package let url: Text
        /// The file with it.
        package let file: String?

        /// `URL`, or `URL=FILE`.
        init(_ text: String) {
            let equals = text.lastIndex(of: "=")
            url = Text(String(text[..<(equals ?? text.endIndex)]))
            file = equals.map { String(text[text.index(after: $0)...]) }
        }
    }

    /// The configuration's file.
    package let configuration: [UInt8]
    /// Whom to trust.
    package let trust: Trust
    /// The cloud agent's invitation: a URL, its JSON, or a file; nil: none.
    package let invitation: String?
    /// The time server that chrony is to ask with Network Time Security, by its name; nil: setup names none.
    package let timeServer: String?
    /// Whether the invitation's agent may be without TLS.
    let allowsPlainHTTP: Bool

    /// Makes a plan of answers; throws everything that is wrong with them, and what is missing.
    ///
    /// - Parameters:
    ///   - answers: What was told.
    ///   - machine: What was seen, which answers where somebody did not.
    ///   - places: Where the configuration is to be.
    ///   - source: What comments in the configuration say of its origin, a line each.
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

    /// What is wrong with one answer, beside those that are there; nil: nothing.
    package static func problem(
        with question: SetupQuestion, in answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces
    ) -> SetupProblem? {
        SetupDraft(answers, machine, places).problems.first { $0.question == question }
    }
}
