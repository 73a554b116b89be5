package import Encoding

/// One entry of the ledger on its way to a destination.
package struct ReportEntry: Hashable, Sendable {
    /// Its position in the ledger, from 1.
    package let position: Int
    /// Its hash, ``ReportPoint/hashBytes`` bytes.
    package let hash: [UInt8]
    /// The record's bytes, which the hash covers: compact JSON.
    package let body: [UInt8]
    /// The report for a controller that does not know entries, with `id` and `time`; nil for an entry that is
    /// no report (an intent), and for all entries if no reports were asked for. JSON's own `null` counts as
    /// none.
    package let report: JSON?

    /// Creates an entry of these parts.
    package init(position: Int, hash: [UInt8], body: [UInt8], report: JSON?) {
        (self.position, self.hash, self.body) = (position, hash, body)
        self.report = report?.object == nil ? nil : report
    }

    /// The entry in a `records` message. The body is sent as text inside a string: agents parse and write
    /// JSON on the way, and only a string keeps its bytes.
    var json: JSON {
        [
            "position": .int(position), "hash": .text(Hex.encode(hash)),
            "body": .text(String(decoding: body, as: UTF8.self)),
        ]
    }

    /// Reads ``json``; `report` is nil.
    init(_ json: JSON) throws(ReportError) {
        position = try ReportPoint.position(json["position"])
        hash = try ReportPoint.hash(json["hash"])
        guard let body = json["body"]?.string, !body.isEmpty else { throw .malformed(member: "body") }
        self.body = Array(body.utf8)
        report = nil
    }

    /// The report's id, which is that of its visit; nil if there is no report.
    var reportID: Text? { report?["id"]?.string }
}
