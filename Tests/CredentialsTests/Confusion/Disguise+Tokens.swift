import Encoding

@testable import Credentials

extension Disguise {
    /// Claims that are decisive in some kind of token, and one that is decisive in none.
    static let decisive: [Text] = [
        "iss", "exp", "nbf", "iat", "sub", "vct", "cnf", "status", "status_list", "vc", "vp", "type",
        "credentialStatus",
        "credentialSubject", "validUntil", "_sd", "_sd_alg", "...", "@context", "other",
    ]

    /// Changes a token: disclosures that its issuer did not make, another person's holder proof, other forms
    /// of its parts.
    static func tokens(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        guard let token = showing.token else { return [] }
        return disclosures(of: token, showing) + bindings(of: token, showing, kit) + parts(of: token, showing)
            + objects(of: token, showing)
    }

    private static func disclosures(of token: Substring, _ showing: Showing) -> [Disguise] {
        let whole = token.hasSuffix("~") ? String(token) : token + "~"
        let foreign = decisive.map { name in
            Disguise("foreign disclosure of \(name)") { showing.with(whole + Disclose.member(name, "x") + "~") }
        }
        let pieces = token.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        let (jwt, own) = (pieces[0], pieces.dropFirst().filter { !$0.isEmpty && !$0.contains(".") })
        let more = [
            Disguise("foreign element") { showing.with(whole + Disclose.element("x") + "~") },
            Disguise("disclosure that is none") { showing.with(whole + "AAAA~") },
            Disguise("the token as its own disclosure") { showing.with("\(whole)\(jwt)~") },
            Disguise("the token twice") { showing.with("\(token)~\(token)") },
        ]
        guard pieces.count > 1 else { return foreign + more }
        return foreign + more + [
            Disguise("last ~ dropped", replacesPresenter: true) { showing.with(String(whole.dropLast())) },
            Disguise("JWT alone", replacesPresenter: true) { showing.with(jwt) },
            Disguise("disclosures reversed", replacesPresenter: true) {
                showing.with(([jwt] + own.reversed()).joined(separator: "~") + "~")
            },
            Disguise("disclosures twice", replacesPresenter: true) {
                showing.with(([jwt] + own + own).joined(separator: "~") + "~")
            },
            Disguise("empty disclosure", replacesPresenter: true) {
                showing.with(([jwt, ""] + own).joined(separator: "~") + "~")
            },
            Disguise("without key binding", replacesPresenter: true) {
                showing.with(([jwt] + own).joined(separator: "~") + "~")
            },
        ]
    }

    /// Adds key bindings by a key that the issuer did not name.
    private static func bindings(of token: Substring, _ showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        let last = token.lastIndex(of: "~").map { token.index(after: $0) } ?? token.endIndex
        let presented = String(token[..<last]) + (token.contains("~") ? "" : "~")
        return (["kb+jwt", "vp+jwt", "JWT", nil] as [Text?]).map { type in
            Disguise("key binding by a stranger, \(type?.string ?? "untyped")", replacesPresenter: true) {
                var claims: JSONObject = [
                    "iat": .int(Int(kit.signed.seconds)), "sd_hash": Disclose.digest(presented),
                    "nonce": .string(kit.demand.nonce ?? "n-1"), "aud": .string(kit.demand.audience ?? "gate.example"),
                ]
                claims["cnf"] = ["jwk": kit.tokens.jwk]
                return showing.with(presented + (try kit.tokens.sign(kit.tokens.header(type), claims)))
            }
        }
    }

    /// Writes the characters of the three parts in other ways.
    private static func parts(of token: Substring, _ showing: Showing) -> [Disguise] {
        let end = token.firstIndex(of: "~") ?? token.endIndex
        let (jwt, rest) = (token[..<end], String(token[end...]))
        let parts = jwt.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return [] }
        func changed(_ name: String, _ index: Int, _ change: @escaping @Sendable (String) -> String) -> Disguise {
            Disguise("\(["header", "payload", "signature"][index]) \(name)") {
                var parts = parts
                parts[index] = change(parts[index])
                return showing.with(parts.joined(separator: ".") + rest)
            }
        }
        let forms = (0..<3).flatMap { index in
            [
                changed("padded", index) { $0 + String(repeating: "=", count: (4 - $0.utf8.count % 4) % 4) },
                changed("with spare bits", index, spare),
                changed("in the standard alphabet", index) {
                    $0.replacing("-", with: "+").replacing("_", with: "/")
                },
                changed("with a line end", index) { $0 + "\n" },
                changed("empty", index) { _ in "" },
                changed("twice", index) { $0 + $0 },
            ]
        }
        let types: [Text?] = [
            nil, "JWT", "vc+jwt", "vp+jwt", "dc+sd-jwt", "vc+sd-jwt", "example+sd-jwt", "statuslist+jwt", "at+jwt",
            "kb+jwt",
        ]
        let headers = types.map { type in
            changed("says \(type?.string ?? "nothing")", 0) { part in
                guard var header = Base64.decodeURL(part).flatMap({ (try? JSON.parse($0))?.object }) else {
                    return part
                }
                header["typ"] = type.map { .string($0) }
                return Base64.encode(JSON.object(header).compactBytes)
            }
        }
        return forms + headers + [changed("without algorithm", 0) { _ in "eyJhbGciOiJub25lIn0" }]
    }

    /// Returns another text of the same bytes: the unused bits of the last character are no longer zero.
    @Sendable private static func spare(_ part: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard part.utf8.count % 4 > 1, let last = part.last, let index = letters.firstIndex(of: last) else {
            return part + "A"
        }
        return part.dropLast() + String(letters[index ^ 1])
    }

    /// Uses the JSON serialisations of JWS and SD-JWT (RFC 7515 section 7.2, RFC 9901 section 8).
    private static func objects(of token: Substring, _ showing: Showing) -> [Disguise] {
        let pieces = token.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        let parts = pieces[0].split(separator: ".", omittingEmptySubsequences: false).map { JSON.text(String($0)) }
        guard parts.count == 3 else { return [] }
        let (protected, payload, signature) = (parts[0], parts[1], parts[2])
        let shown = JSON.array(pieces.dropFirst().filter { !$0.isEmpty }.map { .text($0) })
        let flat: JSONObject = ["payload": payload, "protected": protected, "signature": signature]
        let general: JSONObject = [
            "payload": payload, "signatures": [["protected": protected, "signature": signature]],
        ]
        let heads: [JSON] = [
            [:], ["typ": "dc+sd-jwt"], ["typ": "vc+jwt"], ["disclosures": shown], ["disclosures": [], "kb_jwt": "x"],
        ]
        return [flat, general].flatMap { object in
            [Disguise("as an object") { showing.with(.object(object)) }]
                + heads.map { head in
                    Disguise("as an object with \(head.compactText.prefix(24))") {
                        showing.with(.object(object.with("header", head).with("disclosures", shown)))
                    }
                }
        }
    }

    /// Returns other texts of the same bytes for base64url text without parts, as an mdoc has.
    static func binary(of showing: Showing) -> [Disguise] {
        guard case .letters(let letters) = showing.body, showing.token == nil else { return [] }
        let text = String(decoding: letters, as: UTF8.self)
        guard let bytes = Base64.decodeURL(text.filter { $0 != "\n" }) else { return [] }
        return [
            Disguise("padded") { showing.with(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)) },
            Disguise("spare bits") { showing.with(spare(text)) },
            Disguise("standard alphabet") { showing.with(Base64.encode(bytes, .standard)) },
            Disguise("hexadecimal") { showing.with(Hex.encode(bytes)) },
            Disguise("bytes") { showing.with(bytes) },
            Disguise("base64 of base64") { showing.with(Base64.encode(letters)) },
            Disguise("with a line end inside") { showing.with(String(text.prefix(40) + "\n" + text.dropFirst(40))) },
            Disguise("tagged") { showing.with(Base64.encode([0xD8, 0x18] + bytes)) },
            Disguise("in an array") { showing.with(Base64.encode([0x81] + bytes)) },
            Disguise("more behind it") { showing.with(Base64.encode(bytes + [0xA0])) },
            Disguise("as a payload of a JWT") { showing.with("eyJhbGciOiJub25lIn0.\(text).") },
        ]
    }
}
