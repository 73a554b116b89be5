import Encoding

extension Envelope {
    /// Returns the keys for which an envelope claims to be encrypted. The claim is unproven until the envelope is
    /// opened. The list is empty if the bytes are not an envelope within the limits. A `kid` that is not a key is
    /// omitted.
    package static func recipients(of bytes: [UInt8], limits: Limits = Limits()) -> [Verkey] {
        guard bytes.count <= limits.bytes, let envelope = try? parse(bytes, limits),
            let protected = envelope["protected"]?.string,
            let header = Base64.decodeAny(protected.string).flatMap({ try? parse($0, limits) }),
            let recipients = header["recipients"]?.array, recipients.count <= limits.recipients
        else { return [] }
        return recipients.compactMap { $0["header"]?["kid"]?.string.flatMap { Verkey($0) } }
    }
}
