package import Encoding

/// questionanswer/1.0 (RFC 0113): a question that a controller asks, answered by what the operator has configured.
package enum Question {
    /// The protocol's name and version.
    package static let name = ProtocolName("questionanswer", 1, 0)

    /// Whether `message` is a question of this protocol or of its signed relative (`committedanswer`).
    package static func isQuestion(_ message: Message) -> Bool {
        message.type.isMessage(name.family, 1, "question") || message.type.isMessage("committedanswer", 1, "question")
    }

    /// What is asked; nil when the message says nothing of it.
    package static func text(_ question: Message) -> Text? { question.body["question_text"]?.string }

    /// The answers that may be given; empty: any.
    package static func choices(_ question: Message) -> [Text] {
        (question.body["valid_responses"]?.array ?? []).prefix(64).compactMap { $0["text"]?.string ?? $0.string }
    }

    /// Whether the answer would have to be signed, which no rule does for the operator.
    package static func wantsSignature(_ question: Message) -> Bool {
        question.body["signature_required"]?.bool ?? (question.type.protocolName.family != name.family)
    }

    /// An `answer` in the thread of its question.
    package static func answer(_ prefix: TypePrefix, id: Text, thread: Text, response: Text) -> JSON {
        Message.make(
            MessageType(prefix, name, "answer"), id: id, thread: thread, [.init("response", .string(response))])
    }
}
