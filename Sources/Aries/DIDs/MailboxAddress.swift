package import DIDComm
package import Encoding

/// The address at which a mailbox accepts messages for one of the gate's keys. The gate's DID document contains this
/// address.
package struct MailboxAddress: Hashable, Sendable {
    /// The URL that messages are posted to.
    package let endpoint: Text
    /// The keys to which a message is encrypted in addition, one layer for each (RFC 0094). The first key is nearest to
    /// the gate. At most ``MailboxAddress/maxRoutingKeys``.
    package let routingKeys: [Verkey]

    /// The largest number of routing keys; an address with more is not accepted.
    static let maxRoutingKeys = 8
    /// The address of a gate without a mailbox: messages arrive only in the responses to the gate's own posts (RFC
    /// 0092).
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

    /// Reads the address that a mediator grants, to which other agents post messages for the gate. Nil if the endpoint
    /// is no URL (``WebURL``), if it uses plain HTTP and `allowsPlainHTTP` is false, or if a key is invalid.
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
