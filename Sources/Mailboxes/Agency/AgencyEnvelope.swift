package import DIDComm
package import Encoding

/// Encrypts messages for an agency, layer by layer, and decrypts the agency's answers.
///
/// Every message is encrypted and authenticated for its recipient, and then wrapped for each stop on the way in
/// `{"@type": …/routing/1.0/FWD, "@fwd": DID of the next stop, "@msg": the envelope}`. The outermost layer, for the
/// agency itself, has no sender.
package enum AgencyEnvelope {
    /// The largest answer that is read, in bytes. It is large because the Node agency sends all waiting messages of a
    /// connection in one answer.
    static let answerBytes = 8 * 1024 * 1024

    /// One stop on a message's way: the party that decrypts the layer there, and the gate's key that this party knows.
    package struct Stop: Sendable {
        /// The party for which the layer is encrypted.
        package let party: AgencyParty
        /// The gate's key pair for messages to this party.
        package let sender: KeyPair

        /// Creates the stop at `party`, whose layer is authenticated by `sender`.
        package init(_ party: AgencyParty, from sender: KeyPair) { (self.party, self.sender) = (party, sender) }
    }

    /// The type of the message that wraps an envelope.
    package static let forward = AgencyType("routing", "1.0", "FWD")

    /// Encrypts `message` for the first of `stops`, wraps the result for each further stop, and at last for the agency.
    /// Returns the bytes to post.
    ///
    /// A message to the agency itself or to the gate's agent has one stop. A message to a connection's agent has two
    /// stops at both kinds of servers: the connection's agent, with the connection's key, and then the gate's agent,
    /// with the gate's own key.
    package static func pack(
        _ message: JSON, via stops: [Stop], agency: AgencyParty, random: inout RandomStream
    ) -> [UInt8] {
        var (packed, next) = (message, Text(""))
        for (number, stop) in stops.enumerated() {
            if number > 0 { packed = wrapping(packed, to: next) }
            packed = Envelope.pack(packed.compactBytes, to: [stop.party.key], from: stop.sender, random: &random)
            next = stop.party.did
        }
        return Envelope.pack(wrapping(packed, to: next).compactBytes, to: [agency.key], from: nil, random: &random)
            .compactBytes
    }

    private static func wrapping(_ envelope: JSON, to did: Text) -> JSON {
        ["@type": .string(forward.text), "@fwd": .string(did), "@msg": envelope]
    }

    /// Decrypts an answer with one of `keys`. An answer about a connection is encrypted for the gate's own key by the
    /// Node agency, and for the connection's key by Verity. The answer's sender must be `sender`, the party that
    /// received the request.
    package static func open(
        _ body: [UInt8], with keys: [KeyPair], from sender: Verkey
    ) throws(AgencyError) -> AgencyAnswer {
        var limits = Envelope.Limits()
        limits.bytes = answerBytes
        let content: Envelope.Content
        do {
            content = try Envelope.unpack(body, with: keys, limits: limits)
        } catch {
            throw .unreadable
        }
        guard content.sender == sender else { throw .foreignSender }
        return try AgencyAnswer(plaintext: content.plaintext)
    }
}
