package import DIDComm
package import Encoding

/// The keys and the address by which an agent is reached.
package struct Service: Hashable, Sendable {
    /// The keys to which messages for the recipient are encrypted. The list has at least one key.
    package let recipientKeys: [Verkey]
    /// The keys of the mediators on the route. The first mediator is nearest the recipient, the last is the
    /// outermost. There are at most ``MailboxAddress/maxRoutingKeys``, because each makes a message a third
    /// larger.
    package let routingKeys: [Verkey]
    /// The URL of the service, or another endpoint text such as `didcomm:transport/queue`.
    package let endpoint: Text

    /// Creates a service at `endpoint` with its keys.
    package init(recipientKeys: [Verkey], routingKeys: [Verkey], endpoint: Text) {
        (self.recipientKeys, self.routingKeys, self.endpoint) = (recipientKeys, routingKeys, endpoint)
    }

    /// Whether messages can be posted to the service.
    package var isHTTP: Bool { WebURL(endpoint) != nil }
}

/// The parts of a DID document that a connection needs: its identifier, Ed25519 keys and services.
///
/// Reads the legacy form of RFC 0160 (`publicKey`, `publicKeyBase58`) and the DID Core form
/// (`verificationMethod`, `publicKeyMultibase`). Keys may be written as raw text or as references, absolute
/// or relative.
package struct DIDDocument: Sendable {
    /// The document's `id`; nil if the document has none.
    package let id: Text?
    /// Usable services by ascending `priority`; in document order for equal priorities.
    package let services: [Service]

    private static let serviceTypes: Set<Text> = ["IndyAgent", "did-communication", "DIDCommMessaging"]
    private static let maxEntries = 32

    /// Reads `document`. `names`: further DIDs that references in it may start with (those it was resolved
    /// from).
    package init(_ document: JSON, names: [Text] = []) {
        id = document["id"]?.string
        let keys = Self.keys(in: document, names: names + (id.map { [$0] } ?? []))
        var found: [(priority: Int, service: Service)] = []
        for entry in (document["service"]?.array ?? []).prefix(Self.maxEntries) {
            guard let type = entry["type"]?.string, Self.serviceTypes.contains(type),
                let endpoint = (entry["serviceEndpoint"]?.string ?? entry["serviceEndpoint"]?["uri"]?.string),
                let recipients = keys.resolve(entry["recipientKeys"]), !recipients.isEmpty,
                let routing = keys.resolve(
                    entry["routingKeys"] ?? entry["serviceEndpoint"]?["routingKeys"],
                    atMost: MailboxAddress.maxRoutingKeys)
            else { continue }
            found.append(
                (
                    entry["priority"]?.int ?? 0,
                    Service(recipientKeys: recipients, routingKeys: routing, endpoint: endpoint)
                ))
        }
        // Keep the order of the document for services of equal priority.
        services = found.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map(\.element.service)
    }

    /// The service to use: the first service that can be reached by HTTP.
    package var preferredService: Service? { services.first(where: \.isHTTP) }

    private static func keys(in document: JSON, names: [Text]) -> KeyTable {
        var table = KeyTable(names: Set(names))
        let members: [Text] = ["publicKey", "verificationMethod", "authentication", "keyAgreement", "assertionMethod"]
        for member in members {
            for method in (document[member]?.array ?? []).prefix(maxEntries) {
                guard let id = method["id"]?.string else { continue }
                let verkey =
                    method["publicKeyBase58"]?.string.flatMap { Base58.decode($0.string, maxLength: 64) }
                    .flatMap { Verkey(bytes: $0) }
                    ?? method["publicKeyMultibase"]?.string.flatMap { Verkey(multibase: $0.string) }
                // A legacy X25519 key in base58 has 32 bytes, too. Only its type distinguishes it.
                if let verkey, method["type"]?.string?.string.contains("X25519") != true { table.add(verkey, id: id) }
            }
        }
        return table
    }
}

/// The keys of one document by the fragment of their id.
private struct KeyTable {
    let names: Set<Text>
    private var byFragment: [Text: Verkey] = [:]

    init(names: Set<Text>) { self.names = names }

    mutating func add(_ key: Verkey, id: Text) {
        if let fragment = fragment(of: id), byFragment[fragment] == nil { byFragment[fragment] = key }
    }

    /// Returns the keys that `list` names; nil if one of them cannot be found or if there are too many. An
    /// absent list is empty.
    func resolve(_ list: JSON?, atMost limit: Int = 32) -> [Verkey]? {
        guard let list, !list.isNull else { return [] }
        guard let entries = list.array, entries.count <= limit else { return nil }
        var keys: [Verkey] = []
        for entry in entries {
            guard let text = entry.string,
                let key = fragment(of: text).flatMap({ byFragment[$0] }) ?? Verkey(text)
            else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// Returns the part after `#` of an id that is relative or belongs to this document; nil for any other
    /// id.
    private func fragment(of id: Text) -> Text? {
        let parts = id.string.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let did = Text(String(parts[0]))
        return did.isEmpty || names.contains(did) ? Text(String(parts[1])) : nil
    }
}
