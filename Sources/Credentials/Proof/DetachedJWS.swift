import Encoding
import Reasons

/// A JWS with detached, unencoded payload: `header..signature` (RFC 7515 appendix F, RFC 7797).
struct DetachedJWS {
    /// The algorithm name in the header. It must agree with suite and key.
    let algorithm: Text
    /// The text of the header as received, which is the form that the signature covers.
    let headerText: [UInt8]
    let signature: [UInt8]

    /// Reads a detached JWS. `b64` must be false and must be the only critical header. The payload part must be empty.
    init(_ text: Text, at pointer: String) throws(Rejection) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty,
            let headerBytes = Base64.decodeURL(Substring(parts[0])),
            let signature = Base64.decodeURL(Substring(parts[2])),
            let header = try? JSON.parse(headerBytes).object,
            let algorithm = header["alg"]?.string,
            header["b64"] == .bool(false), header["crit"] == .array(["b64"])
        else { throw Rejection(.proofMalformed, at: pointer) }
        self.algorithm = algorithm
        self.signature = signature
        headerText = Array(parts[0])
    }
}
