package import DIDComm
package import Encoding

/// The keys and the endpoint at which an agent receives messages.
package struct Service: Hashable, Sendable {
    /// The keys to which messages for the agent are encrypted; at least one.
    package let recipientKeys: [Verkey]
    /// The keys of the mediators on the route, from the mediator nearest to the recipient to the outermost one. At most
    /// ``MailboxAddress/maxRoutingKeys``, because each layer makes a message a third larger.
    package let routingKeys: [Verkey]
    /// The URL of the service, or another endpoint text such as `didcomm:transport/queue`.
    package let endpoint: Text

    /// Creates a service at `endpoint` with its keys.
    package init(recipientKeys: [Verkey], routingKeys: [Verkey], endpoint: Text) {
        (self.recipientKeys, self.routingKeys, self.endpoint) = (recipientKeys, routingKeys, endpoint)
    }

    /// Whether the endpoint is an HTTP or HTTPS URL, so that messages can be posted to it.
    package var isHTTP: Bool { WebURL(endpoint) != nil }
}

/// The parts of a DID document that a connection needs: its identifier, Ed25519 keys and services.
///
/// Reads the legacy form of RFC 0160 (`publicKey`, `publicKeyBase58`) and the DID Core form (`verificationMethod`,
/// `publicKeyMultibase`). A key may be written as raw text, or as an absolute or relative reference to a key.
package struct DIDDocument: Sendable {
    /// The document's `id`; nil if the document has none.
    package let id: Text?
    /// The services with readable keys, by ascending `priority`. Services of equal priority are in the order of the
    /// document.
    package let services: [Service]

    private static let serviceTypes: Set<Text> = ["IndyAgent", "did-communication", "DIDCommMessaging"]
    private static let maxEntries = 32

    /// Reads `document`. `names`: other DIDs of the same document, for example the DID from which it was resolved.
    /// References in the document may begin with them.
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
        // `sorted` is not stable, so the offset keeps the document's order for services of equal priority.
        services = found.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map(\.element.service)
    }

    /// The service to use: the first that can be reached by HTTP; nil if there is none.
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

/// The keys of one document by the fragment of their ids.
private struct KeyTable {
    let names: Set<Text>
    private var byFragment: [Text: Verkey] = [:]

    init(names: Set<Text>) { self.names = names }

    mutating func add(_ key: Verkey, id: Text) {
        if let fragment = fragment(of: id), byFragment[fragment] == nil { byFragment[fragment] = key }
    }

    /// Returns the keys in `list`, which are written as references or as raw text. Returns an empty list if `list` is
    /// absent; nil if a key cannot be found or there are more than `limit` keys.
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

    /// Returns the part of `id` after `#`; nil if `id` has no `#` or begins with the DID of another document.
    private func fragment(of id: Text) -> Text? {
        let parts = id.string.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let did = Text(String(parts[0]))
        return did.isEmpty || names.contains(did) ? Text(String(parts[1])) : nil
    }
}
