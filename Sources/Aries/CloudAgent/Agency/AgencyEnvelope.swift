package import DIDComm
package import Encoding

/// The layers around a message to an agency, and what is inside its answers.
///
/// Every message is authenticated for whom it is meant and then wrapped once for each stop on the way, in
/// `{"@type": …/routing/1.0/FWD, "@fwd": DID of the next, "@msg": the packed envelope}`. The outermost layer, for the agency
/// itself, is anonymous.
package enum AgencyEnvelope {
    /// Bytes of the longest answer that is read; the Node agency sends everything that waits for a connection at once.
    package static let answerBytes = 8 * 1024 * 1024

    /// One stop: who unpacks there, and the key of ours that it knows.
    package struct Stop: Sendable {
        /// Whom the layer is for.
        package let party: AgencyParty
        /// Who we are to it.
        package let sender: KeyPair

        /// A layer for `party`, authenticated by `sender`.
        package init(_ party: AgencyParty, from sender: KeyPair) { (self.party, self.sender) = (party, sender) }
    }

    /// The type of a wrapping.
    package static let forward = AgencyType("routing", "1.0", "FWD")

    /// Packs `message` for the first stop and wraps it for the others and, outermost, for the agency.
    ///
    /// One stop reaches the agency itself or our agent. For a connection's agent both servers take two stops: that agent under the
    /// connection's key, then our agent under our own.
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

    /// Opens an answer with whichever of `keys` it is for: the Node agency answers for a connection to our own key, Verity to the
    /// connection's. Whoever was addressed must have written it.
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
