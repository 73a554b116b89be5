package import Encoding

/// An invitation in the form in which an operator receives it: a URL, or JSON.
package enum InvitationText: Sendable {
    /// The text contains the invitation.
    case invitation(Invitation)
    /// The text is a URL that does not contain an invitation. A GET request for this URL, with `Accept:
    /// application/json`, returns the invitation or redirects to it.
    case link(Text)

    /// The largest size of a text, in bytes. A longer text is refused.
    package static let maxBytes = 64 * 1024

    /// The query parameters that may contain an invitation, in the order in which they are searched. VCX uses the same
    /// order.
    private static let members: [Text] = ["c_i", "d_m", "m", "oob"]

    /// Reads `text`: JSON if it starts with `{`, otherwise an http, https or didcomm URL.
    package static func read(_ text: [UInt8]) throws(InvitationError) -> InvitationText {
        guard text.count <= maxBytes else { throw .tooLarge }
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let trimmed = Array(text.drop(while: blanks.contains).reversed().drop(while: blanks.contains).reversed())
        if trimmed.first == UInt8(ascii: "{") { return .invitation(try invitation(trimmed)) }
        guard let url = Text(utf8: trimmed) else { throw .notAnInvitation }
        return try read(url: url)
    }

    private static func read(url: Text) throws(InvitationError) -> InvitationText {
        let letters = Array(url.utf8)
        guard let colon = letters.firstIndex(of: UInt8(ascii: ":")),
            letters[colon...].starts(with: "://".utf8)
        else { throw .notAnInvitation }
        let scheme = String(decoding: letters[..<colon], as: UTF8.self).lowercased()
        guard ["http", "https", "didcomm"].contains(scheme) else { throw .unsupportedScheme }
        let query = letters.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let pairs = query.split(separator: UInt8(ascii: "&")).map { pair in
            (name: pair.prefix { $0 != UInt8(ascii: "=") }, value: pair.drop { $0 != UInt8(ascii: "=") }.dropFirst())
        }
        for member in members {
            guard let pair = pairs.first(where: { $0.name.elementsEqual(member.utf8) }) else { continue }
            // In this parameter '+' is a character of base64, not a space.
            guard let value = percentDecoded(pair.value).flatMap({ Text(utf8: $0) }),
                let bytes = Base64.decodeAny(value.string)
            else { throw .notBase64 }
            return .invitation(try invitation(bytes))
        }
        guard scheme != "didcomm" else { throw .notAnInvitation }
        // Remove the fragment: a server does not receive it.
        return .link(Text(String(decoding: letters.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)))
    }

    private static func invitation(_ bytes: [UInt8]) throws(InvitationError) -> Invitation {
        var limits = JSON.Limits()
        (limits.depth, limits.bytes) = (32, maxBytes)
        guard let json = try? JSON.parse(bytes, limits: limits) else { throw .notJSON }
        return try Invitation(json)
    }

    private static func percentDecoded(_ letters: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = letters
        while let letter = rest.popFirst() {
            guard letter == UInt8(ascii: "%") else {
                output.append(letter)
                continue
            }
            guard rest.count >= 2,
                let byte = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self))?.first
            else { return nil }
            output.append(byte)
            rest = rest.dropFirst(2)
        }
        return output
    }
}
