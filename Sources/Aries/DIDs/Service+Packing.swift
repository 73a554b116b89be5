import DIDComm
import Encoding

extension Service {
    /// Returns the bytes of `message` to post to this service: encrypted by `keys` for the service's first recipient
    /// key, and then wrapped for each routing key. Throws ``Envelope/Failure/tooLarge`` if the result has more bytes
    /// than agents accept (``Envelope/Limits/bytes``).
    func pack(
        _ message: JSON, from keys: KeyPair, _ prefix: TypePrefix, random: inout RandomStream
    ) throws(Envelope.Failure) -> [UInt8] {
        let recipients = Array(recipientKeys.prefix(1))
        var envelope = Envelope.pack(message.compactBytes, to: recipients, from: keys, random: &random)
        if let recipient = recipients.first {
            envelope = try Envelope.wrap(
                envelope, to: recipient, via: routingKeys, typePrefix: Text(prefix.rawValue), random: &random)
        }
        let body = envelope.compactBytes
        guard body.count <= Envelope.Limits().bytes else { throw .tooLarge }
        return body
    }
}
