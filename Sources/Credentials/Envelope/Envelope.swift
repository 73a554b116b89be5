import Encoding

/// What was found inside what the wallet sent.
struct Received {
    /// The credential in the form its format has.
    enum Body {
        /// Linked data: a JSON object.
        case object(JSONObject)
        /// A JWT.
        case jwt(CompactJWS)
        /// An SD-JWT.
        case sdJWT(SDJWT)
        /// Base64url text.
        case token([UInt8])
    }

    let kind: CredentialKind
    let body: Body
    /// The JSON text that it stands in, where it is linked data.
    var text: [UInt8] = []

    /// By which name records know it.
    var format: CredentialFormat? { kind.format }

    /// The JSON that the issuer, or who presents, wrote; nil for an mdoc. Of an SD-JWT what its issuer shows of it.
    var document: JSON? {
        switch body {
        case .object(let document): .object(document)
        case .jwt(let token): .object(token.claims)
        case .sdJWT(let token): .object(token.issued.claims)
        case .token: nil
        }
    }
}

/// Takes the wrapping off a payload.
///
/// Accepted: Inji's wallet record with the credential under `verifiableCredential.credential` or, in old records,
/// straight under `verifiableCredential`; `{credential, format}`; a bare credential or presentation; a JSON string that
/// holds any of these as text; a bare token. What a record, a media type or the sender calls it must agree with what
/// was signed (``CredentialKind``); whatever else a record says (`isVerified`, `vcMetadata`, …) proves nothing and is
/// not read.
struct Envelope {
    let limits: Limits
    /// Objects that a payload may hold.
    var known: [KnownObject] = []
    /// JSON texts inside JSON strings that may be unwrapped; a record nests two at most.
    private static let nesting = 4

    /// Syntax stage: the payload as JSON, or as a token when it does not begin like JSON.
    enum Syntax {
        case json(JSON, text: [UInt8])
        case token([UInt8])
        /// Something else that is known by name.
        case unsupported(UnsupportedFormat)
    }

    func parse(_ payload: [UInt8], claimed: CredentialFormat? = nil) throws(Rejection) -> Syntax {
        if let format = UnsupportedFormat(letters: Token.trimmed(payload)) { return .unsupported(format) }
        if Token.kind(of: payload, claimed: claimed) != nil || Token.isBinary(payload, claimed: claimed) {
            return .token(payload)
        }
        return .json(try parseJSON(payload), text: payload)
    }

    /// Envelope stage. `claimed` helps where the payload itself shows nothing, and must agree where it does.
    ///
    /// - Throws: `kind.disagrees`; what ``CredentialKind/init(received:isSelective:)`` throws.
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

    /// What a record holds, and what it calls it.
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

    /// A token by itself, wherever it was found.
    func token(_ bytes: [UInt8], claimed: CredentialFormat?) throws(Rejection) -> Received {
        guard bytes.count <= limits.tokenLetters else { throw Rejection(.inputTooLarge) }
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

    /// A token that a document holds under the name of its media type.
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

/// Tells compact tokens from JSON by their letters alone.
enum Token {
    enum Kind {
        /// A JWT or SD-JWT, possibly damaged.
        case jose
        /// One base64url text: an mdoc.
        case base64URL
    }

    /// Shortest text that is taken for an mdoc; shorter words (`null`, `true`) are JSON matters.
    private static let shortestDocument = 64

    /// `{"` and `{` before white space in base64url: how the header of every JOSE token begins.
    private static let headerStarts = ["ey", "ew"].map { Array($0.utf8) }

    /// What a text begins like; its other letters may still be wrong.
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

    /// The text without the white space around it: a line end behind a token is no part of it.
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

    /// Whether bytes that are no token and no JSON are meant as an mdoc: anything that does not begin like JSON where
    /// the sender says so, else what begins like CBOR's arrays and maps in base64 (whose letters may still be wrong)
    /// and is no text of several words.
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
