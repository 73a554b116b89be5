package import Encoding

/// The content of a `records` message.
package struct ReportRecords: Hashable, Sendable {
    /// The largest number of entries in one message. A message with more is refused.
    package static let entriesLimit = 256
    /// The largest total size of the bodies in one message, in bytes. A larger message is refused.
    package static let bytesLimit = 256 * 1024

    /// The ledger's id.
    package let ledger: Text
    /// The entries of the message, at least one. Their positions are consecutive.
    package let entries: [ReportEntry]
    /// The end of the ledger at the time of sending, with the gate's signature if the gate can sign.
    package let head: ReportPoint

    /// Creates the content of a message with `entries`. `head`: the end of their ledger.
    package init(_ entries: [ReportEntry], head: ReportPoint) {
        (self.ledger, self.entries, self.head) = (head.ledger, entries, head)
    }

    /// The message with these entries; nil if there are none. Its id is derived from the entries, so the same entries
    /// have the same id when they are sent again.
    var message: OutboundMessage? {
        guard let first = entries.first, let last = entries.last else { return nil }
        return OutboundMessage(
            id: OutboundMessage.id(
                of: "records", ledger, Text("\(first.position)-\(last.position)"), Text(Hex.encode(last.hash))),
            VerificationReport.name, "records",
            [
                .init("ledger", .string(ledger)), .init("entries", .array(entries.map(\.json))),
                .init("head", head.head),
            ])
    }

    /// Reads the content of a `records` message. Throws if a known member is malformed, a limit is exceeded or the
    /// positions are not consecutive; ignores unknown members.
    package init(_ json: JSON) throws(ReportError) {
        let ledger = try ReportPoint.ledger(json["ledger"])
        guard let list = json["entries"]?.array, !list.isEmpty else { throw .malformed(member: "entries") }
        guard list.count <= Self.entriesLimit else { throw .tooLarge }
        var entries: [ReportEntry] = []
        var bytes = 0
        for element in list {
            let entry = try ReportEntry(element)
            guard entry.position > 0 else { throw .position }
            guard entries.last.map({ $0.position + 1 == entry.position }) ?? true else { throw .outOfOrder }
            bytes += entry.body.count
            guard bytes <= Self.bytesLimit else { throw .tooLarge }
            entries.append(entry)
        }
        head = try ReportPoint(head: json["head"], of: ledger)
        guard let last = entries.last, last.position <= head.position else { throw .outOfOrder }
        guard last.position < head.position || last.hash == head.hash else { throw .otherHash }
        (self.ledger, self.entries) = (ledger, entries)
    }
}
