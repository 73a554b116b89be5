package import Aries
package import DIDComm
package import Encoding

extension Mediator {
    /// The value of the member `kind` in the stored state.
    package static let kind: Text = "mediator"
    private static let version = 1

    /// The state that must survive a restart, as JSON. It contains the secret key of the mailbox's own connection, so
    /// the store must protect it.
    package var snapshot: JSON {
        var object: JSONObject = [
            "version": .int(Self.version), "kind": .string(Self.kind), "connection": connection.snapshot,
            "used": .bool(isUsed),
            "keys": .array(
                entries.map { entry in
                    [
                        "connection": .string(entry.connection), "key": .string(entry.key.base58),
                        "unwanted": .bool(entry.isUnwanted),
                    ]
                }),
        ]
        if let address { object["address"] = address.json }
        return .object(object)
    }

    /// Restores a mailbox from `snapshot`. The mailbox does nothing before ``MailboxEvent/start``.
    package init(
        restoring snapshot: JSON, configuration: Configuration, random: consuming RandomStream
    ) throws(SnapshotError) {
        guard snapshot["version"]?.int == Self.version, snapshot["kind"]?.string == Self.kind else {
            throw .unknownVersion
        }
        guard let kept = snapshot["connection"], let keys = snapshot["keys"]?.array,
            keys.count <= configuration.limits.keys
        else { throw .malformed }
        var entries: [Entry] = []
        for entry in keys {
            guard let name = entry["connection"]?.string, let key = entry["key"]?.string.flatMap({ Verkey($0) }),
                let isUnwanted = entry["unwanted"]?.bool
            else { throw .malformed }
            entries.append(
                Entry(connection: name, key: key, state: isUnwanted ? .unwanted(.zero) : .wanted(.zero)))
        }
        let address = snapshot["address"].flatMap { MailboxAddress($0) }
        guard address != nil || snapshot["address"] == nil else { throw .malformed }
        let used = snapshot["used"]?.bool
        guard used != nil || snapshot["used"] == nil else { throw .malformed }
        let connection = try AgentConnection(
            restoring: kept, leadsToMailbox: true, configuration: configuration.lasting, random: random)
        self.init(connection, configuration)
        (self.entries, self.address) = (entries, address)
        // Earlier versions of the program did not store the member `used`.
        isUsed = used ?? !entries.isEmpty
    }
}
