import DIDComm
import Encoding

extension Service {
    /// Returns `message` as it is posted to this service: packed by `keys` for its first recipient key and
    /// wrapped for its route. Throws ``Envelope/Failure/tooLarge`` if the packed message is larger than
    /// agents accept (``Envelope/Limits/bytes``).
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
