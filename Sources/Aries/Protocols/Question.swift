import Crypto
package import DIDComm
package import Encoding

/// A question of the peer's controller, which the configuration or the operator answers: questionanswer/1.0 (RFC 0113),
/// or its older form committedanswer/1.0, in which answers are always signed.
package enum Question {
    /// The protocol's name and version.
    package static let name = ProtocolName("questionanswer", 1, 0)
    /// The name and version of committedanswer, the older protocol.
    static let committedName = ProtocolName("committedanswer", 1, 0)

    /// Returns whether `message` is a question of questionanswer or committedanswer.
    static func isQuestion(_ message: Message) -> Bool {
        message.type.isMessage(name.family, 1, "question")
            || message.type.isMessage(committedName.family, 1, "question")
    }

    /// Returns the text of the question; nil if the message has none.
    package static func text(_ question: Message) -> Text? { question.body["question_text"]?.string }

    /// Returns the answers that the question permits. An empty list permits any answer.
    package static func choices(_ question: Message) -> [Text] {
        listed(question).compactMap { $0["text"]?.string ?? $0.string }
    }

    private static func listed(_ question: Message) -> [JSON] {
        Array((question.body["valid_responses"]?.array ?? []).prefix(64))
    }

    /// Returns whether the question permits `response`. If the question lists answers, `response` must be one of them.
    /// In committedanswer/1.0 it must be listed together with the text to sign.
    package static func permits(_ response: Text, to question: Message) -> Bool {
        if isCommitted(question) { return token(of: response, in: question) != nil }
        let choices = choices(question)
        return choices.isEmpty || choices.contains(response)
    }

    /// Returns whether the question requires a signed answer.
    static func wantsSignature(_ question: Message) -> Bool {
        isCommitted(question) || question.body["signature_required"]?.bool == true
    }

    private static func isCommitted(_ question: Message) -> Bool {
        question.type.protocolName.family == committedName.family
    }

    /// Returns the text that committedanswer/1.0 signs in place of `response`: the entry's `nonce`, or `response_code`
    /// in the first draft of the protocol. Nil if the entry has neither.
    private static func token(of response: Text, in question: Message) -> Text? {
        let entry = listed(question).first { $0["text"]?.string == response }
        return entry?["nonce"]?.string ?? entry?["response_code"]?.string
    }

    /// Returns an unsigned answer in the thread of its question.
    package static func answer(to question: Message, id: Text, response: Text) -> JSON {
        Message.make(
            MessageType(question.type.prefix, name, "answer"), id: id, thread: question.thread,
            [.init("response", .string(response))])
    }

    /// Returns an answer that is signed by `signer`, the key pair of the connection. `date`: the date of the signature.
    /// The question must permit `response` (``permits(_:to:)``).
    package static func answer(
        to question: Message, id: Text, response: Text, signedBy signer: KeyPair, at date: Timestamp
    ) -> JSON {
        let prefix = question.type.prefix
        if isCommitted(question) {
            // The signature is over the base64 text, not over the bytes that it encodes. VCX signs in this way, and its
            // receivers expect that.
            let data = Base64.encode(Array((token(of: response, in: question) ?? "").utf8), .standard)
            let signature = Base64.encode(signer.sign(Array(data.utf8)), .standard)
            return Message.make(
                MessageType(prefix, committedName, "answer"), id: id, thread: question.thread,
                [
                    .init(
                        "response.@sig",
                        ["signature": .text(signature), "sig_data": .text(data), "timestamp": .text(date.rfc3339)])
                ])
        }
        let signed = [text(question) ?? "", response, question.body["nonce"]?.string ?? ""].flatMap { Array($0.utf8) }
        let digest = Array(SHA256.hash(data: signed))
        return Message.make(
            MessageType(prefix, name, "answer"), id: id, thread: question.thread,
            [
                .init("response", .string(response)),
                .init(
                    "response~sig",
                    [
                        "@type": .string(
                            MessageType(prefix, ProtocolName("signature", 1, 0), "ed25519Sha512_single").text),
                        "signature": .text(Base64.encode(signer.sign(digest))),
                        "sig_data": .text(Base64.encode(digest)),
                        "signers": [.string(signer.verkey.base58)],
                    ]),
            ])
    }
}
