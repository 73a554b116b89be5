import Encoding
import Reasons

/// The content of a payload, without its envelope.
struct Received {
    /// The content of the payload. Each format has its own type of content.
    enum Body {
        /// A linked-data credential or presentation: a JSON object.
        case object(JSONObject)
        /// A token that is a JWT.
        case jwt(CompactJWS)
        /// A token that is an SD-JWT.
        case sdJWT(SDJWT)
        /// An mdoc, as base64url text.
        case token([UInt8])
    }

    let kind: CredentialKind
    let body: Body
    /// The JSON text that contains the credential, if it is linked data.
    var text: [UInt8] = []

    /// The name of the format in records; nil for a kind that never admits a visitor.
    var format: CredentialFormat? { kind.format }

    /// The JSON that the issuer or the signer of a presentation wrote; nil for an mdoc. For an SD-JWT: the claims that
    /// the issuer did not hide.
    var document: JSON? {
        switch body {
        case .object(let document): .object(document)
        case .jwt(let token): .object(token.claims)
        case .sdJWT(let token): .object(token.issued.claims)
        case .token: nil
        }
    }
}

/// The reader that removes the envelope of a payload.
///
/// Accepted envelopes: Inji's wallet record, with the credential under `verifiableCredential.credential` or (old
/// records) under `verifiableCredential`; `{credential, format}`; a bare credential or presentation; a JSON string that
/// contains any of these as text; a bare token. The format in a record, in a media type or from the sender must agree
/// with the kind of the signed object (``CredentialKind``). Other members of a record (`isVerified`, `vcMetadata`, …)
/// prove nothing and are not read.
struct Envelope {
    let limits: Limits
    /// The inline contexts of earlier credentials. A payload that contains one of these objects is parsed faster.
    var known: [KnownObject] = []
    /// The maximum depth of JSON texts inside JSON strings. A wallet record needs at most two levels.
    private static let nesting = 4

    /// The result of the syntax stage: JSON, or a token if the payload does not begin like JSON.
    enum Syntax {
        case json(JSON, text: [UInt8])
        case token([UInt8])
        /// A credential in a format that this program recognises but does not verify.
        case unsupported(UnsupportedFormat)
    }

    func parse(_ payload: [UInt8], claimed: CredentialFormat? = nil) throws(Rejection) -> Syntax {
        if let format = UnsupportedFormat(letters: Token.trimmed(payload)) { return .unsupported(format) }
        if Token.kind(of: payload, claimed: claimed) != nil || Token.isBinary(payload, claimed: claimed) {
            return .token(payload)
        }
        return .json(try parseJSON(payload), text: payload)
    }

    /// Runs the envelope stage. `claimed` determines the format of a payload that does not show its format. If the
    /// payload shows its format, `claimed` must agree.
    ///
    /// - Throws: `kind.disagrees`; the errors of ``CredentialKind/init(received:isSelective:)``.
    func open(_ syntax: Syntax, claimed: CredentialFormat?) throws(Rejection) -> Received {
        let received =
            switch syntax {
            case .token(let bytes): try token(bytes, claimed: claimed)
            case .unsupported(let format): throw Rejection(.formatUnsupported, naming: format)
            case .json(let value, let text): try open(value, in: text, claimed: claimed, depth: 0)
            }
        try received.kind.agrees(with: claimed)
        return received
    }

    private func open(
        _ value: JSON, in source: [UInt8], claimed: CredentialFormat?, depth: Int
    ) throws(Rejection) -> Received {
        guard depth < Self.nesting else { throw Rejection(.envelopeUnknown) }
        switch value {
        case .object(let object): return try open(object, in: source, claimed: claimed, depth: depth)
        case .string(let text):
            let bytes = Array(text.utf8)
            if let format = UnsupportedFormat(letters: Token.trimmed(bytes)) {
                throw Rejection(.formatUnsupported, naming: format)
            }
            let isNamedBinary = claimed == .mdoc && Token.isBinary(bytes, claimed: claimed)
            if Token.kind(of: bytes, claimed: claimed) != nil || isNamedBinary {
                return try token(bytes, claimed: claimed)
            }
            guard let first = bytes.first(where: { !Token.isSpace($0) }), [0x7B, 0x22].contains(first) else {
                throw Rejection(.envelopeUnknown)
            }
            return try open(try parseJSON(bytes), in: bytes, claimed: claimed, depth: depth + 1)
        default: throw Rejection(.envelopeUnknown)
        }
    }

    private func open(
        _ object: JSONObject, in source: [UInt8], claimed: CredentialFormat?, depth: Int
    ) throws(Rejection) -> Received {
        if object["@context"] == nil {
            if let inner = try inside(object) {
                let hint = inner.names.first ?? (inner.isPresentation ? .ldpVP : claimed)
                let received = try open(inner.content, in: source, claimed: hint, depth: depth + 1)
                guard received.kind.isPresentation == inner.isPresentation else { throw Rejection(.kindDisagrees) }
                for name in inner.names { try received.kind.agrees(with: name) }
                return received
            }
            if let format = UnsupportedFormat(object) { throw Rejection(.formatUnsupported, naming: format) }
        }
        if let enveloped = try EnvelopedCredential(.object(object)) { return try token(enveloped) }
        guard let kind = try CredentialKind(of: object, claimed: claimed) else { throw Rejection(.envelopeUnknown) }
        return Received(kind: kind, body: .object(object), text: source)
    }

    /// The content of a wallet record, and the formats that the record states.
    private struct Content {
        let content: JSON
        var names: [CredentialFormat] = []
        var isPresentation = false
    }

    private func inside(_ record: JSONObject) throws(Rejection) -> Content? {
        func member(_ name: Text, of value: JSON) -> JSON? { value[name].flatMap { $0.isNull ? nil : $0 } }
        let outer = JSON.object(record)
        if let content = member("verifiablePresentation", of: outer) {
            return Content(content: content, names: Self.formats(of: record), isPresentation: true)
        }
        if let inner = member("verifiableCredential", of: outer) {
            let names = inner.object.map(Self.formats) ?? []
            return Content(content: member("credential", of: inner) ?? inner, names: names + Self.formats(of: record))
        }
        return member("credential", of: outer).map { Content(content: $0, names: Self.formats(of: record)) }
    }

    /// Reads a token, which is the whole payload or a part of it.
    func token(_ bytes: [UInt8], claimed: CredentialFormat?) throws(Rejection) -> Received {
        guard bytes.count <= limits.tokenBytes else { throw Rejection(.inputTooLarge) }
        switch Token.kind(of: bytes, claimed: claimed) {
        case .jose:
            let letters = Token.trimmed(bytes)
            if letters.contains(UInt8(ascii: "~")) {
                let token = try SDJWT(letters, limits: limits)
                return Received(
                    kind: try CredentialKind(received: token.issued, isSelective: true), body: .sdJWT(token))
            }
            if UnsupportedFormat.isEncrypted(letters, limits: limits) {
                throw Rejection(.formatUnsupported, naming: .jwe)
            }
            let token = try CompactJWS(letters, limits: limits)
            return Received(kind: try CredentialKind(received: token, isSelective: false), body: .jwt(token))
        case .base64URL: return Received(kind: .mdoc, body: .token(Array(Token.trimmed(bytes))))
        case nil:
            guard Token.isBinary(bytes, claimed: claimed) else { throw Rejection(.envelopeUnknown) }
            return Received(kind: .mdoc, body: .token(Array(Token.trimmed(bytes))))
        }
    }

    /// Reads a token that a document contains together with its media type.
    func token(_ enveloped: EnvelopedCredential) throws(Rejection) -> Received {
        guard Token.kind(of: enveloped.letters, claimed: enveloped.format) == .jose else {
            throw Rejection(.shapeMember)
        }
        let received = try token(enveloped.letters, claimed: enveloped.format)
        try received.kind.agrees(with: enveloped.format)
        if let isPresentation = enveloped.isPresentation, isPresentation != received.kind.isPresentation {
            throw Rejection(.kindDisagrees)
        }
        return received
    }

    private func parseJSON(_ bytes: [UInt8]) throws(Rejection) -> JSON {
        do throws(JSONError) {
            return try JSON.parse(bytes, limits: limits.json, knowing: known)
        } catch {
            switch error.code {
            case .syntax: throw Rejection(.jsonSyntax)
            case .duplicateName: throw Rejection(.jsonDuplicateKey)
            case .tooDeep: throw Rejection(.jsonTooDeep)
            case .tooLarge: throw Rejection(.inputTooLarge)
            }
        }
    }

    private static func formats(of record: JSONObject) -> [CredentialFormat] {
        [record["format"], record["vcMetadata"]?["format"]].compactMap { name in
            name?.string.flatMap { CredentialFormat(rawValue: TokenType.normalized($0).string) }
        }
    }
}

/// Functions that distinguish compact tokens from JSON by their characters.
enum Token {
    enum Kind {
        /// A JWT or SD-JWT, possibly damaged.
        case jose
        /// The token is one base64url text: an mdoc.
        case base64URL
    }

    /// The minimum length of a text that may be an mdoc. Shorter words (`null`, `true`) are JSON.
    private static let shortestDocument = 64

    /// The base64url forms of `{"` and of `{` before white space. The header of every JOSE token begins with one of
    /// them.
    private static let headerStarts = ["ey", "ew"].map { Array($0.utf8) }

    /// Returns the kind of token suggested by the beginning of a text. The rest of the text may be invalid.
    static func kind(of bytes: [UInt8], claimed: CredentialFormat? = nil) -> Kind? {
        let letters = trimmed(bytes)
        guard let first = letters.first, !jsonStart.contains(first) else { return nil }
        let isCalled = claimed.map(joseFormats.contains) ?? false
        if isCalled || headerStarts.contains(where: letters.starts) && letters.contains(UInt8(ascii: ".")) {
            return .jose
        }
        return letters.count >= shortestDocument && letters.allSatisfy(isLetter) ? .base64URL : nil
    }

    private static let joseFormats: [CredentialFormat] = [.jwtVC, .vcJWT, .jwtVP, .vpJWT, .vcSDJWT, .dcSDJWT, .sdJWT]

    /// Returns the text without surrounding white space. A line end after a token is not part of the token.
    static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return bytes[..<end].drop(while: isSpace)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns whether bytes that are neither a token nor JSON are probably an mdoc. If the sender claims an mdoc, any
    /// text that does not begin like JSON qualifies. Otherwise the text must begin like a CBOR array or map in base64
    /// and contain no spaces. The rest of the text may be invalid.
    static func isBinary(_ bytes: [UInt8], claimed: CredentialFormat?) -> Bool {
        let letters = trimmed(bytes)
        guard let first = letters.first else { return false }
        if claimed == .mdoc { return !jsonStart.contains(first) }
        return (UInt8(ascii: "g")...UInt8(ascii: "v")).contains(first)
            && !jsonWords.contains { letters.starts(with: $0) }
            && !letters.contains(UInt8(ascii: " "))
    }

    private static let jsonStart = Array("{[\"".utf8)
    private static let jsonWords = ["null", "true"].map { Array($0.utf8) }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
