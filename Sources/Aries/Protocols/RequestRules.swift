package import Encoding

/// The gate's replies to messages that a controller sends on its own initiative. The gate answers pings, queries and
/// configured questions. It refuses everything else with a reason in the message's thread, so that no controller waits
/// for an answer that never comes.
package struct RequestRules: Hashable, Sendable {
    /// The configured answer to one question. Question and response are compared byte by byte.
    package struct Answer: Hashable, Sendable {
        /// The whole text of the question (`question_text`).
        package let question: Text
        /// The response to send. If the question lists answers, the response must be one of them.
        package let response: Text

        /// Creates an answer to `question`.
        package init(question: Text, response: Text) {
            (self.question, self.response) = (question, response)
        }
    }

    /// The reply to a message that a controller sends on its own initiative.
    package enum Reply: Hashable, Sendable {
        /// The reply is the given message.
        case message(JSON)
        /// The reply is a refusal, sent as a problem report of the protocol `of`. `code` is for programs, `explanation`
        /// for people.
        case refusal(code: Text, explanation: Text, of: ProtocolName)
        /// The message is a question for which the configuration has the given response. The answer must be signed with
        /// the connection's key.
        case signed(response: Text)
        /// The message is a question that waits for the operator's answer.
        case undecided
        /// The message needs no reply.
        case nothing
    }

    /// The maximum number of configured answers.
    package static let maxAnswers = 64

    /// The configured answers. A question that none of them answers waits for the operator.
    package var answers: [Answer]

    /// Creates rules with the given configured answers.
    package init(answers: [Answer] = []) { self.answers = answers }

    /// Returns the reply to `message`. `id`: the message id of the reply.
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
        // The question's expiry is not checked: the gate's clock may be wrong, and a configured answer is valid at any
        // time.
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
        // present-proof and issue-credential have problem reports of their own, with which the peer closes the exchange
        // that it began (RFC 0036, 0037, 0453, 0454).
        let reports = ["present-proof", "issue-credential"].contains(type.protocolName.family)
        return Self.refusal(reason, of: reports ? type.protocolName : Notice.name)
    }
}
