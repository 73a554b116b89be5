package import Encoding

/// questionanswer/1.0 (RFC 0113): a controller's question, which is answered as the operator has configured.
package enum Question {
    /// The protocol's name and version.
    package static let name = ProtocolName("questionanswer", 1, 0)

    /// Returns whether `message` is a question of this protocol or of its signed variant (`committedanswer`).
    static func isQuestion(_ message: Message) -> Bool {
        message.type.isMessage(name.family, 1, "question") || message.type.isMessage("committedanswer", 1, "question")
    }

    /// Returns the text of the question; nil if the message has none.
    package static func text(_ question: Message) -> Text? { question.body["question_text"]?.string }

    /// Returns the answers that are permitted; empty: any.
    package static func choices(_ question: Message) -> [Text] {
        (question.body["valid_responses"]?.array ?? []).prefix(64).compactMap { $0["text"]?.string ?? $0.string }
    }

    /// Returns whether the question requires a signed answer. A gate never signs answers.
    static func wantsSignature(_ question: Message) -> Bool {
        question.body["signature_required"]?.bool ?? (question.type.protocolName.family != name.family)
    }

    /// Returns an `answer` in the thread of its question.
    package static func answer(_ prefix: TypePrefix, id: Text, thread: Text, response: Text) -> JSON {
        Message.make(
            MessageType(prefix, name, "answer"), id: id, thread: thread, [.init("response", .string(response))])
    }
}
