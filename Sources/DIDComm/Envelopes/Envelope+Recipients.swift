import Encoding

extension Envelope {
    /// Returns the recipient keys that an envelope names. Nothing proves them before the envelope is opened. Returns an
    /// empty list if the bytes are no envelope or exceed `limits`; leaves out each `kid` that is no key.
    package static func recipients(of bytes: [UInt8], limits: Limits = Limits()) -> [Verkey] {
        guard bytes.count <= limits.bytes, let envelope = try? parse(bytes, limits),
            let protected = envelope["protected"]?.string,
            let header = Base64.decodeAny(protected.string).flatMap({ try? parse($0, limits) }),
            let recipients = header["recipients"]?.array, recipients.count <= limits.recipients
        else { return [] }
        return recipients.compactMap { $0["header"]?["kid"]?.string.flatMap { Verkey($0) } }
    }
}
