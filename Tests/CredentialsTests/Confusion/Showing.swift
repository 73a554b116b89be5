import Encoding

@testable import Credentials

/// A payload from a wallet, and the label that the wallet gives it.
struct Showing: Sendable {
    /// The payload, parsed if it is JSON.
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

    /// The bytes that are sent.
    var payload: [UInt8] {
        switch body {
        case .json(let value): value.compactBytes
        case .letters(let letters): letters
        }
    }

    /// The payload as a JSON value; a token becomes a text.
    var value: JSON {
        switch body {
        case .json(let value): value
        case .letters(let letters): .text(String(decoding: letters, as: UTF8.self))
        }
    }

    /// The payload if it is a JSON object, otherwise nil.
    var object: JSONObject? { if case .json(let value) = body { value.object } else { nil } }

    /// The payload if it is a token with parts, otherwise nil.
    var token: Substring? {
        guard case .letters(let letters) = body, letters.contains(UInt8(ascii: ".")) else { return nil }
        return String(decoding: letters, as: UTF8.self)[...]
    }

    /// Returns another payload with the same label.
    func with(_ value: JSON) -> Showing { Showing(.json(value), label: label) }

    /// Returns other bytes with the same label.
    func with(_ letters: [UInt8]) -> Showing { Showing(.letters(letters), label: label) }

    /// Returns another text with the same label.
    func with(_ text: String) -> Showing { with(Array(text.utf8)) }
}
