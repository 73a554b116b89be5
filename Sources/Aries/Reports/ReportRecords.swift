package import Encoding

/// The content of a `records` message.
package struct ReportRecords: Hashable, Sendable {
    /// The maximum number of entries in a message that is read. No gate sends more.
    package static let entriesLimit = 256
    /// The maximum size of the bodies of all entries in one message together, in bytes.
    package static let bytesLimit = 256 * 1024

    /// The ledger's id.
    package let ledger: Text
    /// The entries of the message. They follow each other without a gap; there is at least one.
    package let entries: [ReportEntry]
    /// The end of the ledger when the entries were sent, signed if the gate can sign.
    package let head: ReportPoint

    /// Creates the content of a message from entries of the ledger that ends with `head`.
    package init(_ entries: [ReportEntry], head: ReportPoint) {
        (self.ledger, self.entries, self.head) = (head.ledger, entries, head)
    }

    /// The message with these entries. The same entries give the same message id. Nil if there are no
    /// entries.
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

    /// Reads the body of a `records` message. The known members are checked strictly, including limits and
    /// order.
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
