package import Encoding

/// A gate's answers to what a controller begins: pings, queries and known questions. Everything else is
/// refused in its own thread with a reason, so that no controller waits for a verifier that holds no
/// credentials.
package struct RequestRules: Hashable, Sendable {
    /// A question and its answer. Both are compared as bytes.
    package struct Answer: Hashable, Sendable {
        /// The whole `question_text`.
        package let question: Text
        /// The `response`; must be one of the answers that the question allows.
        package let response: Text

        /// Creates an answer to `question`.
        package init(question: Text, response: Text) {
            (self.question, self.response) = (question, response)
        }
    }

    /// The reply to a request.
    package enum Reply: Hashable, Sendable {
        /// The request is answered by the given message.
        case message(JSON)
        /// The request is refused. `code` is for programs, `explanation` for people, and the report belongs
        /// to the protocol `of`.
        case refusal(code: Text, explanation: Text, of: ProtocolName)
        /// The question has the given configured response, which must be signed with the connection's key.
        case signed(response: Text)
        /// The question waits for the operator's answer.
        case undecided
        /// The request expects no answer.
        case nothing
    }

    /// The maximum number of configured answers.
    package static let maxAnswers = 64

    /// The configured answers. A question without one waits for the operator.
    package var answers: [Answer]

    /// Creates rules with these answers.
    package init(answers: [Answer] = []) { self.answers = answers }

    /// Returns the reply to `message`. `id`: the id of the reply.
    package func reply(to message: Message, id: Text) -> Reply {
        let type = message.type
        if type.isMessage("trust_ping", 1, "ping") {
            return TrustPing.wantsResponse(message)
                ? .message(TrustPing.response(type.prefix, id: id, thread: message.thread)) : .nothing
        }
        if type.isMessage("basicmessage", 1, "message") {
            return message.asksForAck
                ? .message(Notice.ack(type.prefix, id: id, thread: message.thread)) : .nothing
        }
        if let disclosure = DiscoverFeatures.answer(to: message, id: id) { return .message(disclosure) }
        if Question.isQuestion(message) { return answer(message, id: id) }
        // A problem report or an acknowledgement is never answered (RFC 0035).
        if Notice.isProblem(type) || type.name == "ack" { return .nothing }
        return refusal(of: type)
    }

    private func answer(_ question: Message, id: Text) -> Reply {
        // The expiry is not checked: the gate's clock may be wrong, and its answers do not age.
        guard let text = Question.text(question) else { return Self.refusal("the question has no text") }
        guard let known = answers.first(where: { $0.question == text }),
            Question.permits(known.response, to: question)
        else { return .undecided }
        return Question.wantsSignature(question)
            ? .signed(response: known.response)
            : .message(Question.answer(to: question, id: id, response: known.response))
    }

    private static func refusal(_ reason: Text, of name: ProtocolName = Notice.name) -> Reply {
        .refusal(code: "request-not-accepted", explanation: reason, of: name)
    }

    private func refusal(of type: MessageType) -> Reply {
        let reason: Text? =
            switch (type.protocolName.family, type.name) {
            case ("present-proof", "request-presentation"),
                ("present-proof", "propose-presentation"):
                "a verifier holds no credentials and presents none"
            case ("issue-credential", "offer-credential"), ("issue-credential", "issue-credential"):
                "a verifier accepts no credentials"
            case ("out-of-band", "invitation"), ("connections", "invitation"):
                "invitations are accepted by the operator only"
            case ("didexchange", "request"), ("connections", "request"): "a kiosk accepts no connections"
            case ("coordinate-mediation", _), ("messagepickup", _), ("routing", _): "a kiosk is not a mediator"
            default: nil
            }
        guard let reason else {
            return .refusal(code: "message-parse-failure", explanation: "unknown message type", of: Notice.name)
        }
        // These two protocols have their own problem reports. The peer uses them to close the exchange that
        // it has begun (RFC 0036, 0037, 0453, 0454).
        let reports = ["present-proof", "issue-credential"].contains(type.protocolName.family)
        return Self.refusal(reason, of: reports ? type.protocolName : Notice.name)
    }
}
