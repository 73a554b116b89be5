import DIDComm
package import Encoding

/// An invitation to connect: connections/1.0 (RFC 0160) or out-of-band 1.x (RFC 0434).
///
/// The reader accepts the forms of the RFCs and further forms that agents use: `service` and `services`,
/// `request~attach` and `requests~attach`, plain base58 keys, and did:key with and without fragment. An empty array
/// counts as absent.
package struct Invitation: Equatable, Sendable {
    /// The protocol that the invitation belongs to.
    package enum Kind: Hashable, Sendable {
        /// connections/1.x
        case connections
        /// The protocol out-of-band/1.x with the given minor version.
        case outOfBand(minor: Int)
    }

    /// A handshake protocol, which exchanges the DIDs of a connection. The order of declaration is the order of
    /// preference.
    package enum Handshake: Hashable, CaseIterable, Sendable {
        /// didexchange/1.1
        case didExchange11
        /// didexchange/1.0
        case didExchange10
        /// connections/1.0
        case connections10

        /// The protocol's name and version.
        package var protocolName: ProtocolName {
            switch self {
            case .didExchange11: ProtocolName(DIDExchange.family, 1, 1)
            case .didExchange10: ProtocolName(DIDExchange.family, 1, 0)
            case .connections10: ProtocolName(LegacyConnection.family, 1, 0)
            }
        }

        /// Creates the handshake for a protocol's name and version; nil if this program does not know it. A newer minor
        /// version counts as the newest known one.
        init?(_ name: ProtocolName) {
            switch (name.family, name.major, name.minor) {
            case (DIDExchange.family, 1, 0): self = .didExchange10
            case (DIDExchange.family, 1, _): self = .didExchange11
            case (LegacyConnection.family, 1, _): self = .connections10
            default: return nil
            }
        }
    }

    /// One entry of the invitation's `services`.
    package enum Entry: Hashable, Sendable {
        /// The entry itself contains the keys and the endpoint.
        case inline(Service)
        /// The entry is a DID. The document of this DID contains the keys and the endpoint.
        case did(Text)
    }

    /// The whole invitation as it was received.
    package let json: JSON
    /// The protocol of the invitation: connections or out-of-band.
    package let kind: Kind
    /// The prefix of the invitation's `@type`. The gate's messages use the same prefix.
    package let prefix: TypePrefix
    /// The invitation's `@id`, which is the parent thread of the handshake.
    package let id: Text
    /// The name that the inviter gives itself (`label`); nil if it gives none. Nothing proves the name.
    package let label: Text?
    /// The handshakes that the invitation offers and this program knows, the preferred one first.
    package let handshakes: [Handshake]
    /// The attached messages that ask for an answer (`requests~attach`).
    package let requests: [JSON]
    /// The services at which the inviter can be reached, in the order of the invitation.
    package let entries: [Entry]

    /// Checks and parses the JSON of an invitation.
    package init(_ json: JSON) throws(InvitationError) {
        guard json.object != nil else { throw .notJSON }
        guard let type = json["@type"]?.string.flatMap({ MessageType($0) }), type.name == "invitation" else {
            throw .anotherMessage
        }
        self.json = json
        prefix = type.prefix
        label = json["label"]?.string
        guard let id = json["@id"]?.string, (1...256).contains(id.utf8.count) else { throw .noID }
        self.id = id
        let family = type.protocolName
        switch family.family {
        case LegacyConnection.family where family.major == 1:
            kind = .connections
            handshakes = [.connections10]
            requests = []
            entries = try Self.legacyEntries(json)
        case "out-of-band" where family.major == 1:
            kind = .outOfBand(minor: family.minor)
            requests = Self.list(json, "requests~attach", "request~attach") ?? []
            entries = try Self.entries(json)
            let offered = Self.list(json, "handshake_protocols") ?? []
            guard !offered.isEmpty || !requests.isEmpty else { throw .nothingOffered }
            let known = Set(offered.compactMap { $0.string.flatMap { ProtocolName($0) }.flatMap { Handshake($0) } })
            guard !known.isEmpty || !requests.isEmpty else { throw .unknownHandshakes }
            handshakes = Handshake.allCases.filter(known.contains)
        case LegacyConnection.family, "out-of-band": throw .unsupportedVersion
        default: throw .anotherMessage
        }
    }

    /// Returns the first service that can be reached by HTTP. A DID in place of a service is resolved only if it
    /// contains its own document.
    package func service() throws(InvitationError) -> Service {
        var failure = InvitationError.noKey
        for entry in entries {
            switch entry {
            case .inline(let service):
                if service.isHTTP { return service }
                failure = .unsupportedEndpoint
            case .did(let did):
                do {
                    if let service = try PeerDID.resolve(did).preferredService { return service }
                    failure = .unsupportedEndpoint
                } catch {
                    switch error {
                    case .needsResolver(let method): failure = .needsResolver(method: method)
                    case .malformed, .hashMismatch: failure = .badDID
                    }
                }
            }
        }
        throw failure
    }

    private static func list(_ json: JSON, _ names: Text...) -> [JSON]? {
        for name in names {
            if let list = json[name]?.array, !list.isEmpty { return Array(list.prefix(16)) }
        }
        return nil
    }

    private static func legacyEntries(_ json: JSON) throws(InvitationError) -> [Entry] {
        if json["recipientKeys"] == nil, let did = json["did"]?.string { return [.did(did)] }
        return [.inline(try inline(json))]
    }

    private static func entries(_ json: JSON) throws(InvitationError) -> [Entry] {
        var entries: [Entry] = []
        for service in list(json, "services", "service") ?? [] {
            if let did = service.string {
                entries.append(.did(did))
            } else {
                entries.append(.inline(try inline(service)))
            }
        }
        guard !entries.isEmpty else { throw .noKey }
        return entries
    }

    private static func inline(_ json: JSON) throws(InvitationError) -> Service {
        let recipients = try keys(json["recipientKeys"])
        guard !recipients.isEmpty else { throw .noKey }
        guard let endpoint = json["serviceEndpoint"]?.string ?? json["serviceEndpoint"]?["uri"]?.string,
            !endpoint.isEmpty
        else { throw .noEndpoint }
        return Service(
            recipientKeys: recipients,
            routingKeys: try keys(json["routingKeys"], atMost: MailboxAddress.maxRoutingKeys), endpoint: endpoint)
    }

    private static func keys(_ list: JSON?, atMost limit: Int = 32) throws(InvitationError) -> [Verkey] {
        guard let list, !list.isNull else { return [] }
        guard let entries = list.array, entries.count <= limit else { throw .badKey }
        var keys: [Verkey] = []
        for entry in entries {
            guard let key = entry.string.flatMap({ Verkey($0) }) else { throw .badKey }
            keys.append(key)
        }
        return keys
    }
}
