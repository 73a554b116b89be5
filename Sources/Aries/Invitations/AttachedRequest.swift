import DIDComm
package import Encoding

/// A message attached to an invitation for answering (`requests~attach`, RFC 0434; attachments: RFC 0017).
package enum AttachedRequest: Sendable {
    /// The request is a message that can be answered in its own thread.
    case message(Message)
    /// The request is no readable message. `thread`: the thread in which it is refused, which is the id of
    /// the message or of the attachment; nil if neither has an id.
    case unreadable(thread: Text?)

    /// The limit for an attachment, in bytes.
    package static let maxBytes = 64 * 1024

    /// Reads one entry of the list. The entry's data is JSON (an object, or its text) or base64 of the text, in either
    /// alphabet.
    package init(_ attachment: JSON) {
        let data = attachment["data"]
        func name(_ json: JSON?) -> Text? {
            json?.string.flatMap { (1...Message.nameBytes).contains($0.utf8.count) ? $0 : nil }
        }
        var text: [UInt8]?
        if let json = data?["json"] {
            text = json.string.map { Array($0.utf8) } ?? json.compactBytes
        } else if let base64 = data?["base64"]?.string, base64.utf8.count <= Self.maxBytes * 4 / 3 + 4 {
            text = Base64.decodeAny(base64.string)
        }
        guard let text, text.count <= Self.maxBytes, let message = try? Message(plaintext: text) else {
            self = .unreadable(thread: name(data?["json"]?["@id"]) ?? name(attachment["@id"]))
            return
        }
        self = .message(message)
    }
}

extension AttachedRequest {
    /// Returns one message for each request of `invitation`, in order: the answer to the request, or its
    /// refusal in the request's thread. The result has no message for a request that expects no answer, or
    /// for an attachment without any id.
    static func replies(
        to invitation: Invitation, rules: RequestRules, random: inout RandomStream
    ) -> [JSON] {
        var messages: [JSON] = []
        for attachment in invitation.requests {
            let id = Message.newID(&random)
            switch AttachedRequest(attachment) {
            case .message(let request):
                switch rules.reply(to: request, id: id) {
                case .message(let answer): messages.append(answer)
                case .nothing: break
                // No operator can be asked here: the question came once, with the invitation.
                case .signed, .undecided:
                    messages.append(
                        Notice.problem(
                            invitation.prefix, id: id, thread: request.thread, code: "request-not-accepted",
                            explanation: "no answer to this question is configured"))
                // Use the general problem report: agents show it to their controllers even if its thread
                // belongs to no connection. Agents do not show the problem reports of single protocols.
                case .refusal(let code, let explanation, _):
                    messages.append(
                        Notice.problem(
                            invitation.prefix, id: id, thread: request.thread, code: code, explanation: explanation))
                }
            case .unreadable(let thread?):
                messages.append(
                    Notice.problem(
                        invitation.prefix, id: id, thread: thread, code: "message-parse-failure",
                        explanation: "the attached request cannot be read"))
            case .unreadable(nil): break
            }
        }
        return messages.map { child($0, of: invitation) }
    }

    /// Returns the reply with the invitation as its parent thread, by which the inviter relates it to the
    /// request (RFC 0434).
    private static func child(_ reply: JSON, of invitation: Invitation) -> JSON {
        guard var object = reply.object, var thread = object["~thread"]?.object else { return reply }
        thread["pthid"] = .string(invitation.id)
        object["~thread"] = .object(thread)
        return .object(object)
    }
}
