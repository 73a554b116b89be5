import Encoding

@testable import Credentials

/// What a wallet hands over, and what it calls it.
struct Showing: Sendable {
    /// The payload, taken apart as far as it is JSON.
    enum Body: Sendable {
        case json(JSON)
        case letters([UInt8])
    }

    var body: Body
    var label: CredentialFormat?

    init(_ body: Body, label: CredentialFormat? = nil) {
        self.body = body
        self.label = label
    }

    /// A payload as it was received.
    init(_ payload: [UInt8], label: CredentialFormat? = nil) {
        self.init((try? JSON.parse(payload)).map { .json($0) } ?? .letters(payload), label: label)
    }

    /// What goes over the air.
    var payload: [UInt8] {
        switch body {
        case .json(let value): value.compactBytes
        case .letters(let letters): letters
        }
    }

    /// The payload as a JSON value: a token as the text that it is.
    var value: JSON {
        switch body {
        case .json(let value): value
        case .letters(let letters): .text(String(decoding: letters, as: UTF8.self))
        }
    }

    /// The payload where it is a JSON object.
    var object: JSONObject? { if case .json(let value) = body { value.object } else { nil } }

    /// The payload where it is a token with parts.
    var token: Substring? {
        guard case .letters(let letters) = body, letters.contains(UInt8(ascii: ".")) else { return nil }
        return String(decoding: letters, as: UTF8.self)[...]
    }

    /// Another payload under the same label.
    func with(_ value: JSON) -> Showing { Showing(.json(value), label: label) }

    /// The same with letters.
    func with(_ letters: [UInt8]) -> Showing { Showing(.letters(letters), label: label) }

    /// The same with a text.
    func with(_ text: String) -> Showing { with(Array(text.utf8)) }
}
