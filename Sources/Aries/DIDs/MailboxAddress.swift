package import DIDComm
package import Encoding

/// The address at which a cloud agent accepts messages for one of the gate's keys, as a DID document states
/// it.
package struct MailboxAddress: Hashable, Sendable {
    /// The URL that messages are posted to.
    package let endpoint: Text
    /// The keys that a message is wrapped for, the one nearest to the gate first (RFC 0094); at most
    /// ``MailboxAddress/maxRoutingKeys``.
    package let routingKeys: [Verkey]

    /// The maximum number of routing keys. No mailbox needs more.
    static let maxRoutingKeys = 8
    /// The address without a mailbox: only answers to the gate's own posts arrive (RFC 0092).
    package static let queue = MailboxAddress(endpoint: "didcomm:transport/queue", routingKeys: [])

    /// Creates an address from an endpoint's URL and its routing keys.
    package init(endpoint: Text, routingKeys: [Verkey]) {
        (self.endpoint, self.routingKeys) = (endpoint, routingKeys)
    }
}

extension MailboxAddress {
    /// The address in its stored form.
    package var json: JSON {
        [
            "endpoint": .string(endpoint),
            "routingKeys": routingKeys.json,
        ]
    }

    /// Reads an address from its stored form (``json``); nil for any other value.
    package init?(_ json: JSON) {
        guard let endpoint = json["endpoint"]?.string, let keys = Self.keys(json["routingKeys"]) else { return nil }
        self.init(endpoint: endpoint, routingKeys: keys)
    }

    /// Creates the address that a mediator grants, to which other agents post messages for the gate. Nil
    /// unless it is a URL (``WebURL``), with plain HTTP only if that is allowed, and every key is valid.
    package init?(granting endpoint: JSON?, keys: JSON?, allowsPlainHTTP: Bool) {
        guard let url = endpoint?.string.flatMap({ WebURL($0) }), url.isSecure || allowsPlainHTTP,
            let keys = Self.keys(keys)
        else { return nil }
        self.init(endpoint: url.url, routingKeys: keys)
    }

    private static func keys(_ list: JSON?) -> [Verkey]? {
        guard let list, !list.isNull else { return [] }
        return (list.array?.count ?? 0) <= maxRoutingKeys ? [Verkey](json: list) : nil
    }
}
