import Encoding

extension Envelope {
    /// Returns the keys for which `bytes` are encrypted, as the envelope states them. The statement is not
    /// proven until the envelope is opened. The list is empty if the bytes are no envelope within the limits.
    /// A `kid` that is no key is left out.
    package static func recipients(of bytes: [UInt8], limits: Limits = Limits()) -> [Verkey] {
        guard bytes.count <= limits.bytes, let envelope = try? parse(bytes, limits),
            let protected = envelope["protected"]?.string,
            let header = Base64.decodeAny(protected.string).flatMap({ try? parse($0, limits) }),
            let recipients = header["recipients"]?.array, recipients.count <= limits.recipients
        else { return [] }
        return recipients.compactMap { $0["header"]?["kid"]?.string.flatMap { Verkey($0) } }
    }
}
