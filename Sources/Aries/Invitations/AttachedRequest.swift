import DIDComm
package import Encoding

/// A message that is attached to an invitation and asks for an answer (`requests~attach`, RFC 0434; attachments: RFC
/// 0017).
package enum AttachedRequest: Sendable {
    /// The attachment is a message, which can be answered in its own thread.
    case message(Message)
    /// The attachment is no readable message. `thread`: the thread for the refusal, which is the id of the message or
    /// else of the attachment; nil if neither has an id, so that no refusal is sent.
    case unreadable(thread: Text?)

    /// The largest size of a decoded attachment, in bytes. A larger one counts as unreadable.
    package static let maxBytes = 64 * 1024

    /// Reads one entry of `requests~attach`. Its data is a JSON object, the text of a JSON object, or that text in
    /// base64 or base64url.
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
    /// Returns the replies to the requests of `invitation`, in their order. Each is the answer to a request, or its
    /// refusal in the request's thread. A request that expects no answer, and an attachment without any id, have no
    /// reply.
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
                // An operator cannot be asked: the question arrived only once, with the invitation.
                case .signed, .undecided:
                    messages.append(
                        Notice.problem(
                            invitation.prefix, id: id, thread: request.thread, code: "request-not-accepted",
                            explanation: "no answer to this question is configured"))
                // Send the general problem report: agents show it to their controllers even if its thread belongs to no
                // connection. They do not show the problem reports of single protocols.
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

    /// Returns `reply` with the invitation's id as parent thread. The inviter finds its request by this id (RFC 0434).
    private static func child(_ reply: JSON, of invitation: Invitation) -> JSON {
        guard var object = reply.object, var thread = object["~thread"]?.object else { return reply }
        thread["pthid"] = .string(invitation.id)
        object["~thread"] = .object(thread)
        return .object(object)
    }
}
