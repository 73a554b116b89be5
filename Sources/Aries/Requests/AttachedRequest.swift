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

    /// Reads one entry of the list. Its data is JSON (an object, or its text) or base64 of the text, in
    /// either alphabet.
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
