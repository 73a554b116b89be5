import Encoding
import Reasons

/// A JSON Web Signature in compact form: `header.payload.signature` (RFC 7515 section 7.1). Creating a value does not
/// check the signature: ``verify(by:)`` checks it, and that its algorithm fits the kind of the key.
struct CompactJWS {
    /// The protected header. The compact form has no other header.
    let header: JSONObject
    /// The payload. In a JWT it is a JSON object (RFC 7519 section 7.2).
    let claims: JSONObject
    let signature: [UInt8]
    /// The signed bytes: header and payload as received, separated by a dot.
    let signingInput: [UInt8]
    /// The place of the token in a larger document, as a JSON pointer; empty for a token outside documents.
    let pointer: String

    /// Runs the syntax stage. Base64url is read strictly (no padding, no other characters, unused bits zero). Header
    /// and payload must be strict JSON objects.
    ///
    /// - Throws: `proof.malformed`; `json.duplicate-key`, `json.too-deep` and `input.too-large` for errors in the JSON.
    init(_ token: some Collection<UInt8>, limits: Limits, at pointer: String = "") throws(Rejection) {
        let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Rejection(.proofMalformed, at: pointer) }
        guard parts[0].count <= limits.tokenHeaderBytes, parts[2].count <= limits.signatureBytes else {
            throw Rejection(.inputTooLarge, at: pointer)
        }
        guard let header = Base64.decodeURL(parts[0]), let payload = Base64.decodeURL(parts[1]),
            let signature = Base64.decodeURL(parts[2])
        else { throw Rejection(.proofMalformed, at: pointer) }
        self.header = try Self.object(header, limits: limits, at: pointer)
        claims = try Self.object(payload, limits: limits, at: pointer)
        self.signature = signature
        self.pointer = pointer
        signingInput = Array(parts[0]) + [UInt8(ascii: ".")] + parts[1]
    }

    /// Returns the algorithm that the header names.
    ///
    /// No header extension is supported (RFC 7515 section 4.1.11), so a header with `crit` is refused. A header for a
    /// payload that is not encoded in base64url (`b64`, RFC 7797) is refused, too.
    ///
    /// - Throws: `proof.malformed` for such headers, `proof.algorithm` for an unsupported algorithm, including `none`
    ///   and every HMAC.
    func algorithm() throws(Rejection) -> SignatureAlgorithm {
        guard header["crit"] == nil, header["b64"].map({ $0 == .bool(true) }) ?? true else {
            throw Rejection(.proofMalformed, at: pointer)
        }
        guard let name = header["alg"]?.string, let algorithm = SignatureAlgorithm(joseName: name) else {
            throw Rejection(.proofAlgorithm, at: pointer)
        }
        return algorithm
    }

    /// Returns whether `key` made the signature.
    ///
    /// - Throws: `proof.algorithm` if the header's algorithm does not fit the key; `proof.malformed` for a signature of
    ///   impossible length.
    func isSigned(by key: PublicKey) throws(Rejection) -> Bool {
        try algorithm().verify(signature, over: signingInput, by: key, at: pointer)
    }

    /// Runs the proof stage. Throws `proof.invalid` if another key made the signature, or an error of
    /// ``isSigned(by:)``.
    func verify(by key: PublicKey) throws(Rejection) {
        guard try isSigned(by: key) else { throw Rejection(.proofInvalid, at: pointer) }
    }

    private static func object(_ bytes: [UInt8], limits: Limits, at pointer: String) throws(Rejection) -> JSONObject {
        let value: JSON
        do throws(JSONError) {
            value = try JSON.parse(bytes, limits: limits.json)
        } catch {
            switch error.code {
            case .syntax: throw Rejection(.proofMalformed, at: pointer)
            case .duplicateName: throw Rejection(.jsonDuplicateKey, at: pointer)
            case .tooDeep: throw Rejection(.jsonTooDeep, at: pointer)
            case .tooLarge: throw Rejection(.inputTooLarge, at: pointer)
            }
        }
        guard let object = value.object else { throw Rejection(.proofMalformed, at: pointer) }
        return object
    }
}
