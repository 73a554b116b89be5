import Encoding

@testable import Credentials

extension Disguise {
    /// Format names that a record may contain.
    private static let formats =
        CredentialFormat.allCases.map(\.rawValue) + ["", "jwt_vc", "ldp", "SD-JWT", "vc+sd-jwt ", "status-list"]

    /// Media types of `data:` URLs.
    static let mediaTypes = [
        "vc+jwt", "vp+jwt", "jwt", "vc+sd-jwt", "dc+sd-jwt", "sd-jwt", "vc+ld+json+jwt", "vc", "vp", "vc+ld+json",
        "kb+jwt",
        "statuslist+jwt", "vc+cose", "mso_mdoc", "json", "VC+JWT",
    ]

    /// The envelopes in which wallets and presentations wrap credentials.
    static func envelopes(of showing: Showing) -> [Disguise] {
        records(of: showing.value, showing) + texts(of: showing.value, showing) + urls(of: showing)
    }

    private static func records(of value: JSON, _ showing: Showing) -> [Disguise] {
        func record(_ name: String, _ record: JSON) -> Disguise { Disguise(name) { showing.with(record) } }
        let plain = [
            record("{credential}", ["credential": value]),
            record("{verifiableCredential}", ["verifiableCredential": value]),
            record("record", ["verifiableCredential": ["credential": value], "isVerified": true]),
            record("record in a record", ["verifiableCredential": ["verifiableCredential": ["credential": value]]]),
            record("record in {credential}", ["credential": ["verifiableCredential": ["credential": value]]]),
            record("record with null in front", ["credential": nil, "verifiableCredential": ["credential": value]]),
            record("record of an array", ["verifiableCredential": ["credential": [value]]]),
            record("record that is an array", ["verifiableCredential": [["credential": value]]]),
            record("record of a list", ["verifiableCredential": [value]]),
            record("{credential: [ ]}", ["credential": [value]]),
            record("array", [value]),
            record("array twice", [value, value]),
            record("{verifiablePresentation}", ["verifiablePresentation": value]),
            record("{verifiablePresentation: [ ]}", ["verifiablePresentation": [value]]),
            record("{vp_token}", ["vp_token": value]),
            record("{vc}", ["vc": value]),
            record("{credentials: [{credential}]}", ["credentials": [["credential": value]]]),
        ]
        let named = formats.flatMap { format in
            [
                record("{credential, format \(format)}", ["credential": value, "format": .text(format)]),
                record(
                    "record of format \(format)",
                    ["verifiableCredential": ["credential": value, "format": .text(format)]]),
                record(
                    "record with vcMetadata \(format)",
                    ["verifiableCredential": ["credential": value], "vcMetadata": ["format": .text(format)]]),
                record(
                    "old record of format \(format)", ["verifiableCredential": value, "format": .text(format)]),
            ]
        }
        return plain + named
    }

    /// Wraps the text in JSON strings, nested in one another.
    private static func texts(of value: JSON, _ showing: Showing) -> [Disguise] {
        let inner: JSON = showing.object == nil ? value : .text(value.compactText)
        return (0..<4).flatMap { depth -> [Disguise] in
            let text = (0..<depth).reduce(inner) { text, _ in .text(text.compactText) }
            return [
                Disguise("text \(depth)") { showing.with(text) },
                Disguise("text \(depth) in {credential}") { showing.with(["credential": text]) },
                Disguise("text \(depth) in a record") {
                    showing.with(["verifiableCredential": ["credential": text], "format": "ldp_vc"])
                },
                Disguise("text \(depth) with spaces") { showing.with(.text(" " + (text.string?.string ?? "") + "\n")) },
            ]
        } + [
            Disguise("text with ~") { showing.with(.text((inner.string?.string ?? "") + "~")) },
            Disguise("text with ~ in {credential}") {
                showing.with(["credential": .text((inner.string?.string ?? "") + "~")])
            },
            Disguise("text with ~ in a record") {
                showing.with(["verifiableCredential": ["credential": .text((inner.string?.string ?? "") + "~")]])
            },
        ]
    }

    /// A credential or presentation in VCDM 2.0's envelope (section 4.13).
    static func enveloped(_ id: String, _ type: JSON = "EnvelopedVerifiableCredential", more: JSONObject = [:]) -> JSON
    {
        let own: JSONObject = [
            "@context": "https://www.w3.org/ns/credentials/v2", "id": .text(id), "type": type,
        ]
        return .object(JSONObject(own.members + more.members))
    }

    private static func urls(of showing: Showing) -> [Disguise] {
        let letters = String(decoding: showing.payload, as: UTF8.self)
        let percent = letters.utf8.map {
            $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: ".") ? "%" + Hex.encode([$0]) : String(UnicodeScalar($0))
        }
        .joined()
        let typed = mediaTypes.flatMap { type in
            [
                Disguise("enveloped as \(type)") { showing.with(enveloped("data:application/\(type),\(letters)")) },
                Disguise("enveloped as \(type), with ~") {
                    showing.with(enveloped("data:application/\(type),\(letters)~"))
                },
            ]
        }
        let others: [(String, JSON)] = [
            ("as base64", enveloped("data:application/vc+jwt;base64,\(Base64.encode(showing.payload))")),
            ("with parameters", enveloped("data:application/vc+jwt;charset=utf-8,\(letters)")),
            ("in percents", enveloped("data:application/vc+jwt,\(percent)")),
            ("as SD-JWT in percents", enveloped("data:application/dc+sd-jwt,\(percent)")),
            ("without a media type", enveloped("data:,\(letters)")),
            ("as a presentation", enveloped("data:application/vc+jwt,\(letters)", "EnvelopedVerifiablePresentation")),
            ("as vp+jwt", enveloped("data:application/vp+jwt,\(letters)", "EnvelopedVerifiablePresentation")),
            (
                "with two types",
                enveloped(
                    "data:application/dc+sd-jwt,\(letters)", ["EnvelopedVerifiableCredential", "VerifiableCredential"])
            ),
            (
                "with dates of its own",
                enveloped("data:application/vc+jwt,\(letters)", more: ["validUntil": "2099-01-01T00:00:00Z"])
            ),
            ("in a record", ["verifiableCredential": enveloped("data:application/vc+jwt,\(letters)")]),
        ]
        return typed + others.map { name, value in Disguise("enveloped \(name)") { showing.with(value) } }
    }
}
