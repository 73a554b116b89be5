import Encoding
import Reasons

/// An SD-JWT or SD-JWT+KB in compact form (RFC 9901 section 4), split into its parts but not verified: `issuer-signed
/// JWT ~ disclosure ~ … ~ [key binding JWT]`.
struct SDJWT {
    /// The JWT that the issuer signed.
    let issued: CompactJWS
    /// The disclosures as received, in base64url. The digests cover this text.
    let disclosures: [ArraySlice<UInt8>]
    /// The key binding JWT; nil if the holder attached none.
    let keyBinding: ArraySlice<UInt8>?
    /// The text up to the last `~`. `sd_hash` in the key binding JWT covers this text (section 4.3.1).
    let presented: ArraySlice<UInt8>

    private static let separator = UInt8(ascii: "~")

    /// Runs the syntax stage. A text without `~` is no SD-JWT (`proof.malformed`).
    init(_ token: ArraySlice<UInt8>, limits: Limits) throws(Rejection) {
        guard let first = token.firstIndex(of: Self.separator), let last = token.lastIndex(of: Self.separator) else {
            throw Rejection(.proofMalformed)
        }
        guard token.count(where: { $0 == Self.separator }) - 1 <= limits.disclosures else {
            throw Rejection(.inputTooLarge)
        }
        issued = try CompactJWS(token[..<first], limits: limits)
        presented = token[...last]
        disclosures =
            first == last
            ? [] : token[(first + 1)..<last].split(separator: Self.separator, omittingEmptySubsequences: false)
        keyBinding = last + 1 < token.endIndex ? token[(last + 1)...] : nil
    }
}

/// The hash algorithms that `_sd_alg` may name (IANA "Named Information Hash Algorithm Registry").
enum DisclosureHash: Text {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// Reads the hash algorithm of an SD-JWT payload. The default is SHA-256 (RFC 9901 section 4.1.1).
    init(of claims: JSONObject) throws(Rejection) {
        guard let member = claims["_sd_alg"] else {
            self = .sha256
            return
        }
        guard let name = member.string, let hash = DisclosureHash(rawValue: name) else {
            throw Rejection(.proofAlgorithm, at: "/_sd_alg")
        }
        self = hash
    }

    /// Returns the digest of an ASCII text in base64url, as in `_sd`, `...` and `sd_hash`.
    func digest(_ text: ArraySlice<UInt8>) -> Text {
        switch self {
        case .sha256: Text(Base64.encode(Digest.sha256(Array(text))))
        case .sha384: Text(Base64.encode(Array(Digest.sha384Value(Array(text)))))
        case .sha512: Text(Base64.encode(Digest.sha512(Array(text))))
        }
    }
}
