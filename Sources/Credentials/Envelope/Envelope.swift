import Encoding

/// What was found inside what the wallet sent.
struct Received {
    /// The credential in the form its format has.
    enum Body {
        /// Linked data: a JSON object.
        case object(JSONObject)
        /// A compact token or base64url text.
        case token([UInt8])
    }

    let format: CredentialFormat
    let body: Body
}

/// Takes the wrapping off a payload (spec/tuvali section 14, spec/vc-verification section 1).
///
/// Accepted: Inji's wallet record with the credential under `verifiableCredential.credential` or, in old records,
/// straight under `verifiableCredential`; `{credential, format}`; a bare credential or presentation; a JSON string that
/// holds any of these as text; a bare token. Whatever else a record says (`isVerified`, `vcMetadata`, …) proves
/// nothing and is not read, but for the name of the format.
struct Envelope {
    let limits: Limits
    /// JSON texts inside JSON strings that may be unwrapped; a record nests two at most.
    private static let nesting = 4

    /// Syntax stage: the payload as JSON, or as a token when it does not begin like JSON.
    enum Syntax {
        case json(JSON)
        case token([UInt8])
    }

    func parse(_ payload: [UInt8]) throws(Rejection) -> Syntax {
        if Token.kind(of: payload) != nil { return .token(payload) }
        return .json(try parseJSON(payload))
    }

    /// Envelope stage. `claimed` helps where the payload itself shows no format.
    func open(_ syntax: Syntax, claimed: CredentialFormat?) throws(Rejection) -> Received {
        switch syntax {
        case .token(let bytes): return try token(bytes, claimed: claimed)
        case .json(let value): return try open(value, claimed: claimed, depth: 0)
        }
    }

    private func open(_ value: JSON, claimed: CredentialFormat?, depth: Int) throws(Rejection) -> Received {
        guard depth < Self.nesting else { throw Rejection(.envelopeUnknown) }
        switch value {
        case .object(let object): return try open(object, claimed: claimed, depth: depth)
        case .string(let text):
            let bytes = Array(text.utf8)
            if Token.kind(of: bytes) != nil || Self.binary(claimed) { return try token(bytes, claimed: claimed) }
            guard let first = bytes.first(where: { !Token.isSpace($0) }), [0x7B, 0x22].contains(first) else {
                throw Rejection(.envelopeUnknown)
            }
            return try open(try parseJSON(bytes), claimed: claimed, depth: depth + 1)
        default: throw Rejection(.envelopeUnknown)
        }
    }

    private func open(_ object: JSONObject, claimed: CredentialFormat?, depth: Int) throws(Rejection) -> Received {
        if object["@context"] == nil {
            let named = Self.format(of: object) ?? claimed
            if let inner = object["verifiablePresentation"], !inner.isNull {
                return try open(inner, claimed: .ldpVP, depth: depth + 1)
            }
            if let inner = object["verifiableCredential"], !inner.isNull {
                let credential = inner["credential"].flatMap { $0.isNull ? nil : $0 }
                return try open(
                    credential ?? inner, claimed: inner.object.flatMap(Self.format) ?? named, depth: depth + 1)
            }
            if let inner = object["credential"], !inner.isNull {
                return try open(inner, claimed: named, depth: depth + 1)
            }
        }
        guard let format = Self.linkedData(object, claimed: claimed) else { throw Rejection(.envelopeUnknown) }
        return Received(format: format, body: .object(object))
    }

    private func token(_ bytes: [UInt8], claimed: CredentialFormat?) throws(Rejection) -> Received {
        switch Token.kind(of: bytes) {
        case .sdJWT:
            let known: [CredentialFormat] = [.vcSDJWT, .dcSDJWT, .sdJWT]
            return Received(format: claimed.flatMap { known.contains($0) ? $0 : nil } ?? .vcSDJWT, body: .token(bytes))
        case .jwt:
            let known: [CredentialFormat] = [.jwtVC, .vcJWT, .vcSDJWT, .dcSDJWT, .sdJWT]
            return Received(format: claimed.flatMap { known.contains($0) ? $0 : nil } ?? .jwtVC, body: .token(bytes))
        case .base64URL: return Received(format: .mdoc, body: .token(bytes))
        case nil:
            guard claimed == .mdoc else { throw Rejection(.envelopeUnknown) }
            return Received(format: .mdoc, body: .token(bytes))
        }
    }

    private func parseJSON(_ bytes: [UInt8]) throws(Rejection) -> JSON {
        do throws(JSONError) {
            return try JSON.parse(bytes, limits: limits.json)
        } catch {
            switch error.code {
            case .syntax: throw Rejection(.jsonSyntax)
            case .duplicateName: throw Rejection(.jsonDuplicateKey)
            case .tooDeep: throw Rejection(.jsonTooDeep)
            case .tooLarge: throw Rejection(.inputTooLarge)
            }
        }
    }

    private static func format(of object: JSONObject) -> CredentialFormat? {
        let name = object["format"]?.string ?? object["vcMetadata"]?["format"]?.string
        return name.flatMap { CredentialFormat(rawValue: $0.string) }
    }

    private static func binary(_ claimed: CredentialFormat?) -> Bool { claimed == .mdoc }

    /// Whether the object is meant to be a linked-data document: by its own members, else by what the caller says.
    private static func linkedData(_ object: JSONObject, claimed: CredentialFormat?) -> CredentialFormat? {
        let types = (object["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        if types.contains("VerifiablePresentation") { return .ldpVP }
        if types.contains("VerifiableCredential") { return .ldpVC }
        if claimed == .ldpVC || claimed == .ldpVP { return claimed }
        if object["credentialSubject"] != nil { return .ldpVC }
        if object["verifiableCredential"] != nil { return .ldpVP }
        return object["@context"] != nil || object["issuer"] != nil && object["proof"] != nil ? .ldpVC : nil
    }
}

/// Tells compact tokens from JSON by their letters alone.
enum Token {
    enum Kind {
        /// An issuer-signed JWT followed by `~`-separated disclosures.
        case sdJWT
        /// Three base64url parts.
        case jwt
        /// One base64url text: an mdoc.
        case base64URL
    }

    /// Shortest text that is taken for an mdoc; shorter words (`null`, `true`) are JSON matters.
    private static let shortestDocument = 64

    /// `{"` in base64url: how the header of every JOSE token begins.
    private static let headerStart = Array("ey".utf8)

    static func kind(of bytes: [UInt8]) -> Kind? {
        var (dots, tildes) = (0, 0)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."): if tildes == 0 { dots += 1 }
            case UInt8(ascii: "~"): tildes += 1
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return nil
            }
        }
        if dots == 2, bytes.starts(with: headerStart) { return tildes > 0 ? .sdJWT : .jwt }
        return dots == 0 && tildes == 0 && bytes.count >= shortestDocument ? .base64URL : nil
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
