package import DIDComm
package import Encoding

/// The layers around a message to an agency, and the content of its answers.
///
/// Every message is authenticated for its recipient and then wrapped once for each stop on the way, in
/// `{"@type": …/routing/1.0/FWD, "@fwd": DID of the next, "@msg": the packed envelope}`. The outermost layer,
/// for the agency itself, is anonymous.
package enum AgencyEnvelope {
    /// The longest answer that is read, in bytes. The Node agency sends all waiting messages of a connection
    /// at once.
    static let answerBytes = 8 * 1024 * 1024

    /// One stop of a wrapped message: the party that unpacks it there, and the gate's key that this party
    /// knows.
    package struct Stop: Sendable {
        /// The party that the layer is for.
        package let party: AgencyParty
        /// The gate's key towards the party.
        package let sender: KeyPair

        /// Creates a layer for `party`, authenticated by `sender`.
        package init(_ party: AgencyParty, from sender: KeyPair) { (self.party, self.sender) = (party, sender) }
    }

    /// The type of a wrapper message.
    package static let forward = AgencyType("routing", "1.0", "FWD")

    /// Packs `message` for the first stop and wraps the result for the other stops and, outermost, for the
    /// agency.
    ///
    /// One stop is enough to reach the agency itself or the gate's agent. To reach a connection's agent, both
    /// kinds of servers need two stops: the connection's agent under the connection's key, then the gate's
    /// agent under the gate's own key.
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

    /// Opens an answer with the key of `keys` to which it is addressed. In an answer about a connection, this is the
    /// gate's own key (Node agency) or the connection's key (Verity). The sender of the answer must be `sender`, the
    /// party that received the request.
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
