import Encoding

/// Common credential formats that this program does not verify. They are recognised so that the visitor can learn which
/// format was presented. The beginning of a payload, or the names of its members, show the format. The texts are fixed
/// and contain no part of the payload.
package enum UnsupportedFormat: String, CaseIterable, Sendable {
    /// EU Digital COVID Certificate: `HC1:`, then a CWT in zlib in base45 (eHN hcert specification).
    case healthCertificate = "hcert"
    /// SMART Health Card: `shc:/`, then a JWS in digits.
    case smartHealthCard = "smart-health-card"
    /// The text of a PixelPass QR code: zlib in base45. QR codes with MOSIP's identity claims (CWT claim 169) have the
    /// same form.
    case pixelPass = "pixelpass"
    /// CBOR Web Token (RFC 8392), or another COSE message with a tag (RFC 9052).
    case cwt = "cwt"
    /// JSON Web Signature in JSON (RFC 7515 section 7.2), including an SD-JWT in JSON (RFC 9901 section 8).
    case jsonJWS = "jws-json"
    /// JSON Web Encryption (RFC 7516), compact or in JSON.
    case jwe = "jwe"
    /// AnonCreds in the form that Hyperledger agents store.
    case anonCreds = "anoncreds"
    /// A credential of VCDM 2.0 enveloped in COSE (VC-JOSE-COSE section 3.3).
    case envelopedCOSE = "vc+cose"
    /// A credential of VCDM 2.0 enveloped in another format.
    case enveloped = "enveloped"

    /// The name of the format, for display.
    package var title: String {
        switch self {
        case .healthCertificate: "an EU Digital COVID Certificate (HC1:, a CWT in base45)"
        case .smartHealthCard: "a SMART Health Card (shc:/)"
        case .pixelPass: "the text of a PixelPass QR code (base45), such as one with CWT claim 169"
        case .cwt: "a CBOR Web Token (CWT) or another COSE message"
        case .jsonJWS: "a JWS or SD-JWT in JSON serialisation; the compact one is verified"
        case .jwe: "an encrypted token (JWE)"
        case .anonCreds: "an AnonCreds credential"
        case .envelopedCOSE: "a credential enveloped in COSE (vc+cose)"
        case .enveloped: "an enveloped credential of an unknown media type"
        }
    }

    /// Recognises text or bytes that do not begin like a supported format; nil for any other content.
    init?(letters: some Collection<UInt8>) {
        // Return early for the first letters of JSON and JOSE, so that supported credentials skip the other tests.
        guard let first = letters.first, !"{\"e".utf8.contains(first) else { return nil }
        if letters.starts(with: "HC1:".utf8) {
            self = .healthCertificate
        } else if letters.starts(with: "shc:/".utf8) {
            self = .smartHealthCard
        } else if Self.compressed.contains(where: { letters.starts(with: $0.utf8) }),
            letters.allSatisfy(Self.base45.contains)
        {
            self = .pixelPass
        } else if Self.isTagged(letters) {
            self = .cwt
        } else {
            return nil
        }
    }

    /// Recognises an object by the names of its members; nil for any other object.
    init?(_ object: JSONObject) {
        func isText(_ name: Text) -> Bool { object[name]?.string != nil }
        if isText("payload"), object["signatures"]?.array != nil || isText("signature") {
            self = .jsonJWS
        } else if isText("ciphertext"), isText("iv") {
            self = .jwe
        } else if isText("cred_def_id"), object["values"]?.object != nil {
            self = .anonCreds
        } else {
            return nil
        }
    }

    /// Classifies a media type that is not supported.
    init(mediaType: Text) { self = mediaType == "vc+cose" || mediaType == "vp+cose" ? .envelopedCOSE : .enveloped }

    /// Returns whether a token that begins like a JOSE token is encrypted: it has five parts, and a header with `enc`
    /// (RFC 7516 section 9).
    static func isEncrypted(_ letters: some Collection<UInt8>, limits: Limits) -> Bool {
        let parts = letters.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].count <= limits.tokenHeaderBytes, let header = Base64.decodeURL(parts[0])
        else { return false }
        return (try? JSON.parse(header, limits: limits.json))?["enc"] != nil
    }

    /// The beginnings of zlib's header (RFC 1950: 78 01, 78 5E, 78 9C, 78 DA) in base45 (RFC 9285).
    private static let compressed = ["V7F", "Y9F", "6BF", "NCF"]
    private static let base45 = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Returns whether letters are CBOR with tag 61 (CWT), or an array with tag 18, 17 or 16, as bytes, in base64url or
    /// in hexadecimal.
    private static func isTagged(_ letters: some Collection<UInt8>) -> Bool {
        func isCOSE(_ start: some Collection<UInt8>) -> Bool {
            tags.contains { start.starts(with: $0) }
        }
        if isCOSE(letters) { return true }
        // An mdoc is a map, so no mdoc begins with these bytes.
        let start = String(decoding: letters.prefix(4), as: UTF8.self)
        if letters.count.isMultiple(of: 2), let bytes = Hex.decode(start), isCOSE(bytes) {
            return letters.allSatisfy(isHexadecimal)
        }
        guard let bytes = Base64.decodeAny(start), isCOSE(bytes) else { return false }
        return letters.allSatisfy(isBase64)
    }

    private static let tags: [[UInt8]] = [[0xD8, 0x3D], [0xD2, 0x84], [0xD1, 0x84], [0xD0, 0x83]]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_=+/".utf8.contains(byte)
    }
}
